// Structured bindings, which no directive can capture.
#include <cstdio>
#include <utility>
const int N=2000; double a[N],b[N];
int main(){
  for(int i=0;i<N;i++)
    a[i]=i%17;
  auto [x,y]=std::make_pair(1.0,2.0);
  for(int i=0;i<N;i++)
    b[i]=x*a[i]+y;
  double c=0;
  for(int i=0;i<N;i++)
    c+=b[i];
  for(int i=0;i<N;i++)
    x+=a[i]*y;
  printf("%g %g\n",c,x); }
