// FALSE PROPOSALS in words: `private(x)` would do, for variables that the loop only reads / carries / calls (lambda, std::function, table of pointers, iterator stepped in the body,
// std::string appended to, chrono sum): none of them is set in any iteration, the private copy would be uninitialised (or does not compile).
#include <cstdio>
#include <vector>
#include <string>
#include <chrono>
#include <functional>
const int N=20000; std::vector<double> a(N),b(N),c(N); 
int main(){
  for(int i=0;i<N;i++)
    a[i]=(i*7919L)%1009;
  auto l2=[&](int i){ b[i]+=2; };
  for(int i=0;i<N;i++)
    l2(i);
  std::function<double(int)> h=[](int i){ return a[i]; };
  for(int i=0;i<N;i++)
    b[i]+=h(i);
  double* arr[2]={b.data(),c.data()}; double* const* pp;
  for(int i=0;i<N;i++) {
    pp=&arr[i&1]; (*pp)[i]+=1; }
  auto it=a.begin();
  for(int i=0;i<N;i++) {
    b[i]+=*it*2; ++it; }
  std::string t;
  for(int i=0;i<N;i++)
    t += "ab";
  std::chrono::nanoseconds d{0};
  for(int i=0;i<N;i++)
    d += std::chrono::nanoseconds((int)a[i]);
  printf("%g %g %zu %ld\n",b[3],c[3],t.size(),(long)d.count()); }
