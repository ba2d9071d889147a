// Maxima and unions of enumerations, which no clause reduces.
#include <cstdio>
#include <algorithm>
enum Severity { fine, warning, error }; enum class Flags:unsigned { none, a, b }; 
const int N=2000; Severity sev[N]; Flags fl[N];
int main(){ 
  for(int i=0;i<N;i++) {
    sev[i]=Severity(i%3); fl[i]=Flags(i&1); }
  Severity w=fine; Flags f=Flags::none;
  for(int i=0;i<N;i++)
    w=std::max(w,sev[i]);
  for(int i=0;i<N;i++)
    f=Flags(unsigned(f)|unsigned(fl[i]));
  printf("%d %u\n",w,unsigned(f)); }
