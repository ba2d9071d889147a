// Once a wrong directive: the recorded run itself left these loops by an exception / longjmp / exit(), and still `#pragma omp parallel for` is code: std::terminate etc.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <string>
#include <csetjmp>
#include <stdexcept>
const int N=3000; std::vector<double> a(N), b(N); jmp_buf jb;
#define NI __attribute__((noinline))
NI void f1(){ try {
  for(int i=0;i<N;i++)
    b.at(i+1)=a[i];
  } catch(std::out_of_range&) { puts("c1"); } }
NI void f2(){ std::string s(N-3,'x'); try {
  for(int i=0;i<N;i++)
    s.at(i)='y';
  } catch(...) { puts("c2"); } b[0]=s[5]; }
NI void f3(){ if(!setjmp(jb))
  for(int i=0;i<N;i++) {
    b[i]=i; if(i==N-7) longjmp(jb,1); } }
int main(){ for(int i=0;i<N;i++) a[i]=i%1009; f1(); f2(); f3(); double q=0; for(int i=0;i<N;i++) q+=b[i]*(i%7); printf("%.10g\n",q); }
