// Words that mislead: sums in namespaces, std::stoi, try in the iteration, algorithms with a lambda that captures the index.
#include <cstdio>
#include <cmath>
#include <string>
#include <vector>
#include <iostream>
namespace ns { double g; }
const int N=2000; double a[N],b[N]; int e[N]; std::vector<std::string> v(N,"12");
struct Acc { double sum=0; int n=0; };
int main(){ Acc s; int bad=0; double t=0; int n=N*N;
  for(int i=0;i<N;i++)
    b[i]=std::frexp(i*0.7,&e[i]);
  for(int i=0;i<N;i++)
    ns::g+=b[i];
  for(int i=0;i<N;i++)
    s.sum+=b[i];
  for(int i=0;i<N;i++) {
    if(e[i]&1) goto next; t+=b[i]; next:; }
  for(int i=0;i<std::sqrt(n);i++)
    a[i]=b[i]*2;
  for(int i=0;i<N;i++)
    a[i]+=std::stoi(v[i]);
  for(int i=0;i<N;i++)
    try { if(e[i]<-99) throw 1; a[i]+=1; } catch(int) { bad++; }
  for(int i=0;i<N;i++)
    std::cout << a[i] << '\n';
  printf("%g %g %g %d\n",ns::g,s.sum,t,bad); }
