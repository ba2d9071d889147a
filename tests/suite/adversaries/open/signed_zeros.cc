/* Code: a maximum over 0.0 and -0.0, which compare equal, keeps the first; a reduction either. (2026-11-25) */
#include <algorithm>
#include <cstdio>
#include <vector>
int main() {
  const int N = 1000;
  std::vector<double> a(N);
  for (int i = 0; i < N; i++)
    a[i] = i < 500 ? -0.0 : 0.0;
  double m = -1;
  for (int i = 0; i < N; i++)
    m = std::max(m, a[i]);
  printf("%g %g\n", m, 1 / m);
}
