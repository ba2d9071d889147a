/* False: sums in namespaces and static members are said to be written by one iteration at most. (2026-11-25) */
#include <cstdio>
#include <vector>
namespace app {
double total;
int seen;
struct S { static double acc; };
double S::acc = 0;
}
using namespace app;
int main() {
  const int N = 1000;
  std::vector<double> a(N);
  for (int i = 0; i < N; i++)
    a[i] = i * 31 % 997;
  for (auto x : a)
    app::total += x;
  for (int i = 0; i < N; i++) {
    total += a[i];
    seen++;
  }
  for (int i = 0; i < N; i++)
    S::acc += a[i];
  {
    double total = 0;
    for (int i = 0; i < N; i++)
      total += a[i];
    app::total -= total;
  }
  printf("%g %d %g\n", total, seen, S::acc);
}
