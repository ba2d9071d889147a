/* Refused: a const operator() beside one that is not. (2026-11-25) */
#include <cstdio>
#include <vector>
class Matrix {
  size_t r, c;
  std::vector<double> d;
public:
  Matrix(size_t r, size_t c) : r(r), c(c), d(r * c, 1.5) {}
  double &operator()(size_t i, size_t j) { return d[i * c + j]; }
  double operator()(size_t i, size_t j) const { return d[i * c + j]; }
  double trace() const {
    double t = 0;
    for (size_t i = 0; i < r; i++)
      t += (*this)(i, i);
    return t;
  }
};
int main() {
  Matrix C(300, 300);
  for (size_t i = 0; i < 300; i++)
    C(i, i) = i;
  double t = C.trace();
  printf("%g\n", t);
}
