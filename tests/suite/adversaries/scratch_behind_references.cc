// Once a wrong directive: scratch that lives in memory behind std::array::operator[], std::span, an iterator/reference/pointer to a local, a struct with a reference member:
// printed `#pragma omp parallel for` without any private/lastprivate: all threads share it.
#include <cstdio>
#include <vector>
#include <array>
#include <utility>
const int N=200000; std::vector<double> a(N), b(N);
#define NI __attribute__((noinline))
NI double f1(){ std::array<double,3> t;
  for(int i=0;i<N;i++) {
    t[0]=a[i]; t[1]=t[0]*2; t[2]=t[1]+1; b[i] = t[0]+t[1]*t[2];
  } return 0; }
NI double f2(){ std::array<double,2> t{};
  for(int i=0;i<N;i++) {
    t[0]=a[i]; t[1]=2*a[i]; b[i]=t[0]*t[1];
  } return t[0]+t[1]; }
NI double f3(){ double v[4]; double (&w)[4]=v;
  for(int i=0;i<N;i++) {
    w[0]=a[i]; w[1]=w[0]*2; b[i]=w[0]+w[1];
  } return 0; }
NI double f4(){ std::array<double,4> t; auto it=t.begin();
  for(int i=0;i<N;i++) {
    it[0]=a[i]*3; it[1]=2; b[i]=it[0]+it[1]*2;
  } return 0; }
struct RF { double& r; double x; };
NI double f5(){ double z=0; RF s{z,1};
  for(int i=0;i<N;i++) {
    s.r = i; b[i] = s.r*2+s.x;
  } return 0; }
int main(){
  for(int i=0;i<N;i++)
    a[i]=(i*7919L)%1009;
  for(auto f:{f1,f2,f3,f4,f5}) { double q=f(); for(int i=0;i<N;i++) q+=b[i]*(i%7); printf("%.10g\n",q);} }
