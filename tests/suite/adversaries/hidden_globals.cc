// Once a wrong directive: the name in the clause is another variable at the place of the directive (hidden by a local, by a member).
#include <cstdio>
#include <vector>
const int N=200000; std::vector<double> a(N), b(N); double gsum;
#define NI __attribute__((noinline))
NI void f1(){ double gsum=1;
  for(int i=0;i<N;i++)
    ::gsum += a[i]*gsum; }
namespace { int hid; struct S{ int hid=0; NI void run(){
  for(int i=0;i<N;i++) {
    ::hid=i; b[i]+=::hid; }
} }; }
int main(){ for(int i=0;i<N;i++) a[i]=(i*7919L)%1009; f1(); S s; s.run(); double q=0; for(int i=0;i<N;i++) q+=b[i]*(i%7); printf("%.10g %.10g %d %d\n",gsum,q,hid,s.hid); }
