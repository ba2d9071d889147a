// Once DOALL without a carried dependence: a sum in what a lambda captures by value.
#include <cstdio>
const int N=2000; double a[N],b[N];
int main(){
  for(int i=0;i<N;i++)
    a[i]=i%17;
  auto l=[s=1.0]() mutable {
  for(int i=0;i<N;i++)
    s+=a[i];
  return s; }; 
  printf("%g\n",l()); }
