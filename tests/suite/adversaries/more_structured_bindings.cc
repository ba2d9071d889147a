// Structured bindings with `const` and `volatile` behind `auto`, and in lambdas that capture them: no directive can.
#include <cstdio>
#include <utility>
const int N = 2000; double a[N], b[N];
struct Q { double x, y; };
__attribute__((noinline)) void in_lambdas() { auto [p, q] = std::pair<int, int>(3, 4);
  auto f = [&, p2 = p](int n) {
  for (int i = 0; i < n; i++)
    b[i] += a[i] * q + p2;
  }; f(N);
  auto g = [=](int n) {
  for (int i = 0; i < n; i++)
    b[i] += a[i] * p;
  }; g(N);
}
int main() {
  for (int i = 0; i < N; i++)
    a[i] = i % 17;
  Q q{1.5, 2};
  auto const& [x, y] = q;
  for (int i = 0; i < N; i++)
    b[i] = x * a[i] + y;
  auto volatile [z, w] = q;
  for (int i = 0; i < N; i++)
    b[i] += w * a[i];
  in_lambdas();
  double s = 0; for (int i = 0; i < N; i++) s += b[i];
  printf("%g\n", s);
}
