// Templates of which an instance that did not run needs another directive, or none.
#include <cstdio>
#include <string>
#include <vector>
template<class T> T join(const std::vector<T>& v){ T s{};
  for(std::size_t i=0;i<v.size();i++)
    s+=v[i];
  return s; }
template<bool scan> double run(std::vector<double>& v){ double s=0;
  for(std::size_t i=0;i<v.size();i++) {
    s+=v[i];
    if(scan) v[i]=s; }
  return s; }
int main(int argc,char**){ std::vector<double> v(2000); std::vector<std::string> w;
  for(int i=0;i<2000;i++)
    v[i]=i%17;
  if(argc>1) {
    for(int i=0;i<2000;i++) w.push_back(std::string(1,'a'+i%26));
    printf("%s\n",join(w).c_str()); }
  printf("%g %g\n",join(v),run<false>(v));
  if(argc>1) printf("%g\n",run<true>(v)+v[1990]); }
