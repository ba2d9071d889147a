// Once directives that do not compile: loops in arguments of macros, below an attribute, in a lambda that is computed at compile time.
#include <algorithm>
#include <cstdio>
#include <ctime>
#define TIME(...) do { clock_t t0=clock(); __VA_ARGS__ ; fprintf(stderr,"%g\n",double(clock()-t0)); } while(0)
#define twice(x) x; x
const int N=2000; double a[N], z[N];
int main(){ double s=0;
  TIME(
    for(int i=0;i<N;i++)
      a[i]=i%17;
  );
  TIME(
    auto l=[&]{
      for(int i=0;i<N;i++)
        a[i]+=i%3; };
    l();
  );
  twice(
    for(int i=0;i<N;i++)
      a[i]+=1
  );
  auto sq=[](int n){ int s=0;
    for(int i=0;i<n;i++)
      s+=i*i;
    return s; };
  static_assert(sq(4)==14,"");
  int t=0; if(N>3)
  [[likely]]
  for(int i=0;i<N;i++)
    t+=i&3;
  std::for_each(a,a+3,[&](double q){
    for(int i=0;i<N;i++)
      z[i]+=q;
  });
  for(int i=0;i<N;i++)
    s+=a[i]+z[i];
  printf("%g %d %d\n",s,sq(1000),t); }
