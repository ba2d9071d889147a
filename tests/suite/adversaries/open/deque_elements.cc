/* Refused: what deque and valarray updates lead to 'may be u', a variable of an earlier loop. (2026-11-25) */
#include <cstdio>
#include <deque>
#include <random>
#include <valarray>
#include <vector>
int main() {
  const int N = 3000;
  std::vector<double> b(N);
  std::mt19937 g(42);
  std::uniform_real_distribution<double> u(0, 1);
  for (auto &v : b)
    v += u(g);
  std::deque<double> dq(N, 1.0);
  for (int i = 0; i < N; i++)
    dq[i] += b[i];
  std::valarray<double> va(1.0, N);
  for (int i = 0; i < N; i++)
    va[i] *= b[i];
  double h = 0;
  for (int i = 0; i < N; i++)
    h = h * .99 + dq[i] + va[i];
  printf("%.12g\n", h);
}
