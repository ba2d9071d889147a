// Once a wrong directive (crash/garbage): append to a std::string that the function returns: `#pragma omp parallel for`, although the plan itself says
// that std::string::_M_append (which writes the shared string) was not observed.
#include <cstdio>
#include <string>
#include <vector>
__attribute__((noinline)) std::string join(const std::vector<std::string>& v){
  std::string s;
  for(size_t i=0;i<v.size();i++)
    s += v[i];
  return s; }
int main(){
  std::vector<std::string> v; for(int i=0;i<3000;i++) v.push_back(std::string(i%13,'a'+i%26));
  std::string r=join(v); unsigned h=0; for(char c:r) h=h*31+c; printf("%zu %u\n",r.size(),h); }
