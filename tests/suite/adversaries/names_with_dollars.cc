// Names with a character that is no letter; a sum through a reference to a static; a member function that is always inlined.
#include <cstdio>
#include <vector>
const int N=200000; std::vector<double> a(N);
#define NI __attribute__((noinline))
NI double f1(){ static double s; auto& r=s;
  for(int i=0;i<N;i++)
    r += a[i];
  return s; }
struct Sum{ double s=0; __attribute__((always_inline)) void add(double v){ s+=v; } };
NI double f2(){ Sum q;
  for(int i=0;i<N;i++)
    q.add(a[i]);
  return q.s; }
NI double f3(){ double x=0,$x=0,y$=0;
  for(int i=0;i<N;i++)
    x += a[i], $x += 2*a[i]+1, y$ -= a[i]*a[i];
  return x+$x+y$; }
NI double f4(){ double s=0; switch(N) { long k; default: k=0;
  for(int i=0;i<N;i++)
    k += i;
  s+=k; } return s; }
int main(){ for(int i=0;i<N;i++) a[i]=(i*7919L)%1009; for(auto f:{f1,f2,f3,f4}) printf("%.10g\n",f()); }
