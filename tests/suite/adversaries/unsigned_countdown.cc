// Once wrong directives: unsigned index counting down past 0.
#include <cstdio>
#include <vector>
const int N=20000; std::vector<double> a(N), b(N);
int main(){
  for(int i=0;i<N;i++)
    a[i]=(i*7919L)%1009;
  for(unsigned i=N-1;i<(unsigned)N;i--)
    b[i]+=a[i]*2;
  for(unsigned i=N-1;i!=-1u;i--)
    b[i]+=a[i]*2;
  for(size_t i=N-1;i!=(size_t)-1;--i)
    b[i]+=1;
  double q=0; for(int i=0;i<N;i++) q+=b[i]*(i%7); printf("%.10g\n",q); }
