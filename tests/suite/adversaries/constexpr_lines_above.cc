// Functions whose `constexpr` stands lines above their names, or in a macro.
#include <cstdio>
const int N = 2000; double a[N];
#define CX constexpr
#define NI __attribute__((noinline))
constexpr
NI
double
f(const double *p, int n) { double s = 0;
  for (int i = 0; i < n; i++)
    s += p[i];
  return s; }
CX NI double g(const double *p, int n) { double s = 0;
  for (int i = 0; i < n; i++)
    s += p[i];
  return s; }
struct M {
  constexpr
  /* sums
     the elements */
  double
  h(const double *p, int n) const { double s = 0;
  for (int i = 0; i < n; i++)
    s += p[i] * k;
  return s; }
  double k;
};
int main() {
  for (int i = 0; i < N; i++)
    a[i] = i % 17;
  M m{2};
  printf("%g %g %g\n", f(a, N), g(a, N), m.h(a, N));
}
