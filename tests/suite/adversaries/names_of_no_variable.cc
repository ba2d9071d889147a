// Once directives that do not compile: the name in the clause stands for no variable there.
#include <cstdio>
const int N=2000; int a[N]; double g, h, q1, q2, q3, q6, total, count;
#define NI __attribute__((noinline))
struct S { int total(){ return 2; }
 NI void f1(){
  for(int i=0;i<N;i++)
    ::total+=a[i]*total(); }
 enum { q1=3 };
 NI void f2(){
  for(int i=0;i<N;i++)
    ::q1+=a[i]*q1; }
 typedef double q2; struct count {};
 NI void f3(){
  for(int i=0;i<N;i++)
    ::q2+=a[i]*q2(2); }
 NI void f4(){
  for(int i=0;i<N;i++)
    ::count+=a[i]*sizeof(count); }
};
NI void f5(){ using q3=int;
  for(int i=0;i<N;i++)
    ::q3+=a[i]*q3(2); }
template<int q6> NI void f6(){
  for(int i=0;i<N;i++)
    ::q6+=a[i]*q6; }
int main(){
  for(int i=0;i<N;i++)
    a[i]=i%17;
  { enum { g=3 };
  for(int i=0;i<N;i++)
    ::g+=i*g; }
  { struct h { int q; };
  for(int i=0;i<N;i++)
    ::h+=i*sizeof(h); }
  S s; s.f1(); s.f2(); s.f3(); s.f4(); f5(); f6<2>();
  printf("%g %g %g %g %g %g %g %g\n",g,h,q1,q2,q3,q6,total,count); }
