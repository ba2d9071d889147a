// Ways out in branches that clang folds away: beside an inner loop, a switch, `delete[]` and a lambda, and in macros. No such loop takes a directive.
#include <cstdio>
const int N=3000; int v[N], out[N]; constexpr bool debug = false;
#define CHECK(c) do { if (debug && !(c)) return -1; } while (0)
template <bool B> __attribute__((noinline)) int f() {
  for (int i = 0; i < N; i++) v[i] = i * 7 % 31;
  for (int i = 0; i < N; i++) {
    int s = 0;
    for (int k = 0; k < 3; k++) s += k * i;
    if (debug) break;
    out[i] += s;
  }
  for (int i = 0; i < N; i++) {
    switch (v[i] & 3) { case 0: out[i] += 2; break; default: out[i]--; }
    if (debug) break;
  }
  for (int i = 0; i < N; i++) {
    CHECK(v[i] >= 0);
    out[i] += 2;
  }
  for (int i = 0; i < N; i++) {
    int *q = new int[4](); q[0] = v[i];
    if (debug) return -1;
    out[i] += q[0]; delete[] q;
  }

  for (int i = 0; i < N; i++) {
    auto sq = [](int x) { return x * x; };
    if constexpr (B) return -1;
    out[i] += sq(v[i]);
  }
  return 0;
}
int main(){ int k = f<false>(); long s=0; for(int i=0;i<N;i++) s=s*31+out[i]; printf("%d %ld\n",k,s); }
