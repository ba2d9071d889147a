// Locals in registers, while an array of that name in another function or block is seen in memory.
#include <cstdio>
#include <utility>
const int N=4000; int v[N], out[N], yy;
__attribute__((noinline)) int helper(int k) { volatile int t[4]; for (int j = 0; j < 4; j++) t[j] = k + j; return t[k & 3]; }
int f1() { int t = 0;
  for (int i = 0; i < N; i++) {
    t = v[i]; int o = std::exchange(t, 3 * i);
    out[i] += o + t + helper(i); }
  return 1; }
int f2() { int yy = 0; // the same with a global of that name, written once
  for (int i = 0; i < N; i++) {
    yy = v[i] * 3; out[i] += yy * yy;
    if (i == 77) ::yy = i; }
  return 1; }
int main(){ for(int i=0;i<N;i++) v[i]=i*7%31; f1(); f2();
  long s=0; for(int i=0;i<N;i++) s=s*31+out[i]; printf("%ld %d\n",s,yy); }
