// Once SERIAL or refused: bounds that the program's own small functions give, objects used through their member functions, names of
// structured bindings in another function, locals that functions only read, pointers to the iteration's row.
#include <cstdio>
#include <utility>
#include <vector>
class Image {
  int w, h;
  std::vector<double> p;

public:
  Image(int w, int h) : w(w), h(h), p(w * h) {}
  int width() const { return w; }
  int height() const { return h; }
  double &operator()(int x, int y) { return p[y * w + x]; }
  double operator()(int x, int y) const { return p[y * w + x]; }
};
static void brighten(Image &im, double by) {
  for (int y = 0; y < im.height(); y++)
    for (int x = 0; x < im.width(); x++)
      im(x, y) += by * x;
}
static double poly(const double *c, double x) {
  double s = 0;
  for (int k = 2; k >= 0; k--)
    s = s * x + c[k];
  return s;
}
static double pairs(std::vector<std::pair<double, double>> &p) {
  double s = 0;
  for (auto &[a, b] : p)
    s += a * b;
  return s;
}
static void axpy(double *a, const double *b, int n) {
  for (int i = 0; i < n; i++)
    a[i] += 2 * b[i];
}
int main() {
  Image im(40, 300);
  brighten(im, 0.5);
  const int n = 60;
  Image A(n, n), B(n, n), C(n, n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A(i, j) = i + j;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      B(i, j) = i - j;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C(i, j) += A(i, k) * B(k, j);
  double coef[3] = {1, 2, 3};
  std::vector<double> o(2000), v(2000, 1.0);
  for (int i = 0; i < 2000; i++)
    o[i] = poly(coef, i * 0.1);
  std::vector<double> g(n * n);
  double *cells = g.data();
  for (int i = 0; i < n; i++) {
    double *row = cells + i * n;
    for (int j = 0; j < n; j++)
      row[j] = i * j;
  }
  axpy(o.data(), v.data(), 2000);
  std::vector<std::pair<double, double>> p(400, {1, 2});
  double s = pairs(p);
  for (int i = 0; i < 2000; i++)
    s += o[i] * (i % 7);
  printf("%g %g %g %g\n", s, im(3, 4), C(5, 7), g[n * 7 + 5]);
}
