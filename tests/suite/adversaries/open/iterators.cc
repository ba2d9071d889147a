/* Refused: iterators that step by 3, deques, reverse iterators; all of them compile under a directive. (2026-11-25) */
#include <cstdio>
#include <deque>
#include <vector>
int main() {
  const int N = 3000;
  std::vector<double> a(N, 1.0);
  std::deque<double> d(N, 1.0);
  for (int i = 0; i != N; i += 2)
    a[i] += i;
  for (auto it = a.begin(); it < a.end(); it += 3)
    *it += 1;
  for (auto &x : d)
    x = x * 2 + 1;
  for (auto it = a.rbegin(); it != a.rend(); ++it)
    *it *= 2;
  double h = 0;
  for (int i = 0; i < N; i++)
    h = h * .99 + a[i] + d[i];
  printf("%.12g\n", h);
}
