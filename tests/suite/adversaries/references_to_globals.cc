// Globals under other names that no line of the file gives alone: in parentheses, over two lines, through a macro. A clause would mean a part of the uses.
#include <cstdio>
const int N=4000; int v[N], out[N], t1, t2, t3;
static int &r1(t1); static int &r2 =
   t2;
#define T3 t3
static int &r3 = T3;
int main(){ for(int i=0;i<N;i++) v[i]=i*7%31;
  for(int i=0;i<N;i++)
    r1 += v[i];
  for(int i=0;i<N;i++) {
    t1 = v[i]; out[i] += r1 * 2; }
  for(int i=0;i<N;i++) {
    t2 = v[i]; out[i] += r2 * 2; }
  for(int i=0;i<N;i++) {
    t3 = v[i]; out[i] += r3 * 2; }
  long s=0; for(int i=0;i<N;i++) s=s*31+out[i]; printf("%ld %d %d %d\n",s,t1,t2,t3); }
