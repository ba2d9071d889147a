// Once directives that do not compile: `firstprivate(u)` of a class without a copy constructor, `private(t)` of one without a default constructor.
#include <cstdio>
const int N=2000; double a[N],b[N];
struct Nc { double w,k; Nc()=default; Nc(const Nc&)=delete; };
struct Cn { const double c; double x; };
int main(){
  for(int i=0;i<N;i++)
    a[i]=i%17;
  Nc u; u.k=3;
  for(int i=0;i<N;i++) {
    u.w=a[i]; b[i]=u.w+u.k; }
  Cn t={1,0};
  for(int i=0;i<N;i++) {
    t.x=a[i]*2; b[i]+=t.x; }
  double s=0;
  for(int i=0;i<N;i++)
    s+=b[i];
  printf("%g\n",s); }
