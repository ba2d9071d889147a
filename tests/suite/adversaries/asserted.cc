// Checks whose failure ends the program.
#include <cstdio>
#include <vector>
#include <cassert>
const int N=20000; std::vector<double> a(N),b(N);
int main(){
  for(int i=0;i<N;i++)
    a[i]=(i*7919L)%1009;
  for(int i=0;i<N;i++) {
    assert(a[i]>=0);
    b[i]+=a[i]*a[i]; }
  for(int i=0;i<N;i++) {
    std::vector<double> t(3,a[i]);
    b[i]+=t[i%3]; }
  std::vector<std::vector<double>> vv(N);
  for(int i=0;i<N;i++)
    vv[i].push_back(a[i]);
  printf("%g %g\n",b[3],vv[4][0]); }
