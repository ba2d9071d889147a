// C++ with vectors, range-for, structs with methods and a small matrix class.
#include <cmath>
#include <cstdio>
#include <vector>

struct Matrix {
  size_t rows, cols;
  std::vector<double> data;
  Matrix(size_t r, size_t c) : rows(r), cols(c), data(r * c) {}
  double &operator()(size_t i, size_t j) { return data[i * cols + j]; }
  double operator()(size_t i, size_t j) const { return data[i * cols + j]; }
};

static Matrix multiply(const Matrix &a, const Matrix &b) {
  Matrix c(a.rows, b.cols);
  for (size_t i = 0; i < a.rows; i++)
    for (size_t j = 0; j < b.cols; j++) {
      double s = 0;
      for (size_t k = 0; k < a.cols; k++)
        s += a(i, k) * b(k, j);
      c(i, j) = s;
    }
  return c;
}

struct Particle {
  double x = 0, v = 1;
  void move(double dt) {
    v -= x * dt;
    x += v * dt;
  }
};

int main() {
  std::vector<Particle> particles(400);
  std::vector<int> counts(16);
  std::vector<double> smooth(400);
  Matrix a(40, 50), b(50, 30);
  double sum = 0;
  int index = 0;
  for (auto &p : particles)
    p.x = index++ % 37;
  for (int t = 0; t < 20; t++)
    for (auto &p : particles)
      p.move(0.01);
  for (size_t i = 1; i + 1 < particles.size(); i++)
    smooth[i] = (particles[i - 1].x + particles[i].x + particles[i + 1].x) / 3;
  for (const auto &p : particles) {
    counts[static_cast<int>(std::fabs(p.x)) % 16]++;
    sum += p.v;
  }
  for (size_t i = 0; i < a.data.size(); i++)
    a.data[i] = static_cast<double>(i % 11);
  for (size_t i = 0; i < b.data.size(); i++)
    b.data[i] = static_cast<double>(i % 13);
  Matrix c = multiply(a, b);
  double trace = 0;
  for (size_t i = 0; i < c.cols; i++)
    trace += c(i, i);
  for (double v : smooth)
    sum += v;
  std::printf("%.9f %.3f %d %d\n", sum, trace, counts[0], counts[5]);
}
