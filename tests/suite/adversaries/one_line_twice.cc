// Once a wrong directive: one source loop, several instantiations: the directive is given for the instantiation that is parallel (nothing said about the others),
// but pasted on that line it also parallelizes/breaks the others.  st<0>: parallel, st<3>: recurrence.  find<false>: `return` in the discarded branch. sum<V2> needs a user reduction.
#include <cstdio>
#include <vector>
const int N=20000; std::vector<double> a(N), b(N,1.0);
#define NI __attribute__((noinline))
template<int K> NI void st(int n){
  for(int i=K;i<n;i++)
    b[i]+=0.5*b[i-K];
}
template<bool B> NI int find(int n){
  for(int i=0;i<n;i++) {
    if constexpr(B) { if(a[i]>1005) return i; }
    b[i]+=1;
  }
  return 0; }
int main(){ for(int i=0;i<N;i++) a[i]=(i*7919L)%1009; st<0>(N); st<3>(N); int r=find<true>(N)+find<false>(N); double q=r; for(int i=0;i<N;i++) q+=b[i]*(i%7); printf("%.10g\n",q); }
