// Once a directive that does not compile (link: undefined __atomic_load / __atomic_compare_exchange without -latomic): 16-byte reductions.
#include <cstdio>
#include <vector>
int main(){ std::vector<double> a(20000,1.5); __int128 s=0; _Complex double c=0;
  for(int i=0;i<20000;i++)
    s += (int)a[i];
  for(int i=0;i<20000;i++)
    c += a[i];
  printf("%g %g\n",(double)s,__real__ c); }
