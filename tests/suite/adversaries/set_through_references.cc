// All refused, and must stay so: locals that live in registers and are set through what the library makes of them.
#include <cstdio>
#include <tuple>
#include <vector>
#include <algorithm>
#include <utility>
#include <functional>
const int N=600; double A[N], B[N];
static std::pair<double,double> two(int i){ return {i*2.0, i+1.0}; }
struct P { double x; int k; };
int main(){ double a=0,b=0,c=0,d=0,e=0; P last{0,0}; std::vector<P> v(N); std::pair<double,double> pr; std::tuple<int,double> tu;
  for(int i=0;i<N;i++) { /*X*/
    std::tie(a,b)=two(i); A[i]=a+b; }
  for(int i=0;i<N;i++) { /*X*/
    auto& r=std::ref(c).get(); r=i*3; B[i]=c; }
  for(int i=0;i<N;i++) { /*X*/
    P& q=last; q={i*1.0,i}; v[i]=last; }
  for(int i=0;i<N;i++) { /*X*/
    std::swap(d,A[i]); }
  for(int i=0;i<N;i++) { /*X*/
    pr=two(i); B[i]+=pr.first; }
  for(int i=0;i<N;i++) { /*X*/
    std::get<0>(tu)=i; B[i]+=std::get<0>(tu); }
  for(int i=0;i<N;i++) { /*X*/
    const_cast<double&>(std::max(d,e))=i; B[i]+=d; }
  for(int i=0;i<N;i++) { /*X*/
    v[i]=P{A[i],i}; last=v[i]; }
  for(int i=0;i<N;i++) { /*X*/
    auto set=[&](double x){ e=x; }; set(A[i]); B[i]-=e; }
  double h=0; for(int i=0;i<N;i++) h=h*.99+A[i]+B[i]*2+v[i].x+v[i].k;
  printf("%g %g %g %g %g %g %d %g %d %.10g\n",a,b,c,d,e,last.x,last.k,pr.second,std::get<0>(tu),h); }
