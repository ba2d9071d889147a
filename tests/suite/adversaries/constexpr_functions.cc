// Once a directive that does not compile (default -std=gnu++17): directive in a constexpr function: "statement not allowed in constexpr function"
#include <cstdio>
#include <vector>
constexpr __attribute__((noinline)) double ce(const double*p,int n){ double s=0;
  for(int i=0;i<n;i++)
    s+=p[i];
  return s; }
constexpr __attribute__((noinline)) void ce2(double*p,int n){
  for(int i=0;i<n;i++)
    p[i]+=1;
}
int main(){ std::vector<double> a(20000,1.5); ce2(a.data(),20000); printf("%g\n",ce(a.data(),20000)); }
