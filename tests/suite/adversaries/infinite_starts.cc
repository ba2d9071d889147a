// Minima and maxima that begin with infinite numbers, and find none: clang's reductions begin with the largest finite one.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>
double lowest = HUGE_VAL;
double nearest[4];
static const double far = std::numeric_limits<double>::infinity();
int main() {
  const int n = 4000;
  std::vector<double> v(n);
  for (int i = 0; i < n; i++)
    v[i] = (i * 37 % 1001) * 1.5;
  double m = std::numeric_limits<double>::infinity();
  for (int i = 0; i < n; i++)
    if (v[i] > 2000)
      m = v[i] < m ? v[i] : m;
  double most = -INFINITY;
  for (int i = 0; i < n; i++)
    if (v[i] < 0)
      most = std::max(most, v[i]);
  double least = 1e300;
  for (int i = 0; i < n; i++)
    least = std::min(least, v[i]);
  double k = far;
  for (int i = 0; i < n; i++)
    if (v[i] > 2000 && v[i] < k)
      k = v[i];
  for (int i = 0; i < n; i++)
    if (v[i] > 2000 && v[i] < lowest)
      lowest = v[i];
  for (int j = 0; j < 4; j++)
    nearest[j] = INFINITY;
  for (int i = 0; i < n; i++)
    if (v[i] > 1000 && v[i] < nearest[i % 3])
      nearest[i % 3] = v[i];
  double sum = INFINITY;
  sum = 0;
  for (int i = 0; i < n; i++)
    sum += v[i];
  printf("%g %g %g %g %g %g\n", m, most, least, k, lowest, sum);
  printf("%g %g %g %g\n", nearest[0], nearest[1], nearest[2], nearest[3]);
}
