// Variables of which the debug information does not tell.
#include <cstdio>
#include <vector>
const int N=200000; std::vector<double> a(N), b(N);
#define NI __attribute__((noinline))
NI double f1(){ __attribute__((nodebug)) double s=0;
  for(int i=0;i<N;i++)
    s += a[i];
  return s; }
NI double f2(){ __attribute__((nodebug)) double t;
  for(int i=0;i<N;i++) {
    t=a[i]; b[i]=t*t; }
  return t; }
NI double f3(){ double s=0; switch(N) { double t; default:
  for(int i=0;i<N;i++) {
    t=a[i]; b[i]+=t*t; }
  s=t; } return s; }
NI double f4(){ double s=0;
  for(int i=0;i<N;i++)
    s += a[i];
  return s; }
NI double f5(){ double t;
  for(int i=0;i<N;i++) {
    t=a[i]; b[i]+=t*t; }
  return t; }
NI double f6(int n){ goto in; { long k; in: k=0;
  for(int i=0;i<n;i++)
    k += i&3;
  return k; } }
int main(){ for(int i=0;i<N;i++) a[i]=(i*7919L)%1009; printf("%.10g %.10g %.10g %.10g %.10g %g\n",f1(),f2(),f3(),f4(),f5(),f6(N)); double q=0; for(int i=0;i<N;i++) q+=b[i]*(i%7); printf("%.10g\n",q); }
