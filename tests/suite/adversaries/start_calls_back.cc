// Functions of the library in the first part of the `for` that call the program's own, which count: every thread would call them.
#include <algorithm>
#include <cstdio>
#include <iterator>
double c[600]; int asked=0, lesses=0;
struct Key { int v; bool operator<(const Key& o) const { lesses++; return v<o.v; } };
struct Box { std::size_t size() const { asked++; return 7; } const double* data() const { asked++; return c; } bool empty() const { asked++; return false; } };
Box box; int main(){
  for(int i=std::size(box);i<600;i++)
    c[i]+=i;
  for(int i=600-std::size(box);i<600;i++)
    c[i]+=i;
  for(int i=std::empty(box);i<600;i++)
    c[i]+=i;
  for(const double* p=std::data(box);p<c+600;p++)
    c[p-c]+=1;
  for(int i=std::max(Key{3},Key{5}).v;i<600;i++)
    c[i]+=i;
  double t=0;
  for(int i=0;i<600;i++)
    t+=c[i]*(i+1);
  printf("%d %d %.10g\n",asked,lesses,t); }
