// Sums of other types than their variable, vectors of vectors, temporaries of references.
#include <cstdio>
#include <string>
#include <vector>
#include <algorithm>
const int N=2000; std::vector<std::string> w(N,"abc"); std::vector<double> a(N),b(N); std::vector<std::vector<double>> m(40,std::vector<double>(50));
int main(){ int c=0; unsigned u=0; float f=0; double s=0;
  for(int i=0;i<N;i++)
    c+=w[i].size();
  for(int i=0;i<N;i++)
    f+=a[i];
  for(int i=0;i<N;i++)
    u+=a[i]>=0 ? 2L : 1L;
  for(size_t i=0;i<m.size();i++)
    for(size_t j=0;j<m[i].size();j++) m[i][j]=i*j*0.5;
  for(auto& r: m)
    s=std::max(s,*std::max_element(r.begin(),r.end()));
  for(int i=0;i<N;i++)
    b[i]=std::clamp(a[i],1.0,500.0);
  for(int i=0;i<N;i++)
    b[i]+=std::max(a[i],0.5);
  for(int i=0;i<N;i++)
    b[i]+=std::count_if(a.begin(),a.begin()+20,[&](double x){ return x>a[i]; });
  printf("%d %u %g %g %g\n",c,u,f,s,b[3]); }
