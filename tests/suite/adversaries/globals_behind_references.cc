// Once a wrong directive: lastprivate(global) although the body also reaches the global by another name (pointer loaded from memory, reference, pointer of two, struct member).
#include <cstdio>
#include <vector>
const int N=20000; std::vector<double> a(N), b(N); int g, h; int* gp=&g; int& gr=g; double ds;
#define NI __attribute__((noinline))
NI void f1(){
  for(int i=0;i<N;i++) {
    g=i*3; b[i]=*gp+1; } }
NI void f2(){
  for(int i=0;i<N;i++) {
    g=i*3; b[i]=gr+1; } }
NI void f3(){ int* q=N>3?&g:&h;
  for(int i=0;i<N;i++) {
    g=i; b[i]=*q; } }
NI void f4(){ struct H{ int* p; } s{&g};
  for(int i=0;i<N;i++) {
    g=i; b[i]=*s.p; } }
NI void f5(){ static double s; auto& r=s;
  for(int i=0;i<N;i++) {
    s=a[i]; b[i]=r*2; } }
int main(){ for(int i=0;i<N;i++) a[i]=(i*7919L)%1009;
  for(auto f:{f1,f2,f3,f4,f5}) { f(); double q=g; for(int i=0;i<N;i++) q+=b[i]*(i%7); printf("%.10g\n",q);} }
