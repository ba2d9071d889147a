// Once did not compile: clause names that are not usable or not allowed: static data members (unqualified, and `shared variable cannot be lastprivate/reduction`),
// variable templates, anonymous-union members, block-scope `extern` (clang crashes), parameter packs (`private(s,s)`, clang crashes).
#include <cstdio>
#include <vector>
const int N=20000; std::vector<double> a(N), b(N);
#define NI __attribute__((noinline))
struct C{ static int s; static inline double t=0; NI void m(){
  for(int i=0;i<N;i++)
    t += a[i];
  for(int i=0;i<N;i++) {
    s=i; b[i]+=s; }
} }; int C::s;
template<class T> T vt; static union { int ua; float ub; }; int Acc;
template<class T> struct M{ static T tot; NI void run(){
  for(int i=0;i<N;i++)
    tot += a[i];
} }; template<class T> T M<T>::tot;
NI void f1(){
  for(int i=0;i<N;i++) {
    C::s=i; b[i]+=C::s; }
  for(int i=0;i<N;i++)
    C::t += a[i];
  for(int i=0;i<N;i++) {
    vt<int> = i; b[i]+=vt<int>; }
  for(int i=0;i<N;i++) {
    ua=i; b[i]+=ua; } }
NI void f2(){ extern int Acc;
  for(int i=0;i<N;i++) {
    Acc=i; b[i]+=Acc; } }
template<class... T> NI void f3(T... s){
  for(int i=0;i<N;i++) {
    ((s=a[i]),...); b[i]+=(s+...); } }
int main(){ for(int i=0;i<N;i++) a[i]=(i*7919L)%1009; C c; c.m(); M<double> m; m.run(); f1(); f2(); f3(0.0,0.0); double q=0; for(int i=0;i<N;i++) q+=b[i]*(i%7); printf("%.10g %g %d %d %d %d %g\n",q,C::t,C::s,vt<int>,ua,Acc,m.tot); }
