// Templates of which an instance that did not run can have no directive.
#include <cstdio>
#include <vector>
#include <list>
template<class C> double total(const C& c){ double s=0;
  for(auto& x: c)
    s+=x;
  return s; }
template<class It> double total(It b,It e){ double s=0;
  for(It p=b;p!=e;++p)
    s+=*p;
  return s; }
template<class T> T tri(T n){ T s=0;
  for(T i=0;i<n;++i)
    s+=i;
  return s; }
int main(int argc,char**){ std::vector<double> v(2000,1.5); std::list<double> l(2,1.0); const double* p=v.data();
  printf("%g %g %d\n",total(v),total(p,p+2000),tri(1000));
  if(argc>1) printf("%g %g %g\n",total(l),total(l.begin(),l.end()),tri(4.5)); }
