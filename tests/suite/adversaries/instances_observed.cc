// Once a directive, because another instance of the template had run.
#include <cstdio>
#include <cstdlib>
double d[400];
struct Same { double operator()(int i) const { return d[i] + 1; } };
struct Prev { double operator()(int i) const { return i ? d[i - 1] : 0; } };
template <class E> __attribute__((noinline)) void assign(const E& e, int n) {
  for (int i = 0; i < n; i++) /*?*/
    d[i] = e(i) + i; }
int main(int argc, char** argv) {
  assign(Same{}, 400);
  if (argc > 1) assign(Prev{}, 400);
  double s = 0; for (int i = 0; i < 400; i++) s += d[i] * (i % 7); printf("%.9g\n", s); }
