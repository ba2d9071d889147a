// And/or that stop looking, positions beside extremes in memory, and what looks like them.
#include <cstdio>
#include <vector>
static int find(const double *x, int n, double *best) {
  int at = -1; *best = 1e300;
  for (int i = 0; i < n; i++)
    if (x[i] < *best) { *best = x[i]; at = i; }
  return at;
}
static int f(const double *x, const int *p, int n) {
  int ok = 1;
  for (int i = 0; i < n; i++)
    ok = ok && x[i] >= 0;
  int all = 1;
  for (int i = 0; i < n; i++)
    if (all) all = p[i] > 0 && x[i] < 5;
  int any = 0;
  for (int i = 0; i < n; i++)
    any = any || x[i] > 7;
  bool b = true;
  for (int i = 0; i < n; i++)
    b = b && p[i];
  bool c = false;
  for (int i = 0; i < n; i++)
    c = c || (p[i] > 3 && x[i] > 100);
  // not sums:
  int first = 1, seen = 0;
  for (int i = 0; i < n; i++)
    if (first) { seen += p[i]; first = x[i] < 3; }
  int t = 1;
  for (int i = 0; i < n; i++) {
    if (t) t = x[i] < 50;
    else t = p[i] > 3;
  }
  int last = 0, u = 0;
  for (int i = 0; i < n; i++)
    if (!u) { u = x[i] > 80; last = i; }
  int sum = 0, v = 1;
  for (int i = 0; i < n; i++) {
    v = v && x[i] < 90;
    sum += v;
  }
  return ok + all * 2 + any * 4 + b * 8 + c * 16 + seen * 32 + t + last + u + sum + v;
}
int find2(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (x[i] > 1e6)
      return i;
  return -1;
}
int main() {
  int n = 9000; std::vector<double> x(n); std::vector<int> p(n);
  for (int i = 0; i < n; i++) { x[i] = i * 31 % 101; p[i] = i % 7 + 1; }
  double b; int at = find(x.data(), n, &b);
  printf("%d %d %g %d\n", f(x.data(), p.data(), n), at, b, find2(x.data(), n));
}
