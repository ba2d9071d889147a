// Wrong words: "the loop's index `i` is changed in the body as well" (it is only handed to std::make_tuple / std::make_pair by reference);
// "reduces `hi` by `max` on line 259" (line of stl_algobase.h shown as if of this file); "reduces `uf` ..." for the anonymous union's `ui`.
#include <cstdio>
#include <vector>
#include <tuple>
#include <algorithm>
const int N=20000; std::vector<double> a(N),b(N);
int main(){ std::tuple<double,int> t; double hi=0; union { int ui; float uf; }; ui=0;
  for(int i=0;i<N;i++)
    a[i]=(i*7919L)%1009;
  for(int i=0;i<N;i++) {
    t=std::make_tuple(a[i],i); b[i]=std::get<0>(t)*std::get<1>(t); }
  for(int i=0;i<N;i++)
    hi=std::max(hi,a[i]);
  for(int i=0;i<N;i++)
    ui += (int)a[i];
  printf("%g %g %d\n",b[3],hi,ui); }
