// Vectors and strings that every iteration makes for itself, and sorts of separate ranges.
#include <cstdio>
#include <vector>
#include <algorithm>
#include <string>
#include <optional>
const int N=5000; std::vector<double> a(N), b(N);
struct S{ int v; };
int main(){
  for(int i=0;i<N;i++)
    a[i]=b[i]=(i*7919)%1009;
  for(int i=0;i<N;i+=10)
    std::sort(b.begin()+i,b.begin()+i+10);
  for(int i=0;i<N;i++) {
    std::vector<double> t(3,a[i]);
    b[i]+=t[i%3];
  }
  for(int i=0;i<N;i++) {
    std::vector<double> t;
    t.push_back(a[i]);
    b[i]+=t[0];
  }
  for(int i=0;i<N;i++) {
    std::string t="abc";
    b[i]+=t[i%3];
  }
  std::vector<std::vector<double>> vv(N);
  for(int i=0;i<N;i++)
    vv[i].push_back(a[i]);
  for(int i=0;i<N;i++)
    vv[i].resize(3);
  for(int i=0;i<N;i++)
    vv[i]=std::vector<double>(4,1.0);
  for(int i=0;i<N;i++)
    std::fill(vv[i].begin(),vv[i].end(),a[i]);
  for(int i=0;i<N;i++)
    for(double& x:vv[i]) x+=1;
  for(auto& v:vv)
    for(double& x:v) x+=1;
  for(auto& v:vv)
    std::reverse(v.begin(),v.end());
  for(auto& v:vv)
    v.push_back(3);
  double q=0;
  for(int i=0;i<N;i++)
    q+=b[i]+vv[i][2];
  printf("%g\n",q); }
