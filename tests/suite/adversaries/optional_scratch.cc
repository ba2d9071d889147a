// Once a wrong directive (-O0 10/10): scratch through std::optional::operator*: `#pragma omp parallel for`
#include <cstdio>
#include <vector>
#include <optional>
const int N=20000; std::vector<double> a(N),b(N);
__attribute__((noinline)) double f1(){ std::optional<double> t=1.0;
  for(int i=0;i<N;i++) {
    *t=a[i]; b[i]=*t*2+*t; }
  return 0; }
int main(){ for(int i=0;i<N;i++) a[i]=(i*7919L)%1009; f1(); double q=0; for(int i=0;i<N;i++) q+=b[i]*(i%7); printf("%g\n",q); }
