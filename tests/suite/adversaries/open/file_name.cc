/* False: 'ran in no two iterations here' of streams that every iteration opens on one file. (2026-11-25) */
#include <cstdio>
#include <fstream>
#include <vector>
int main() {
  std::vector<int> b(200);
  for (int i = 0; i < 200; i++) {
    {
      std::ofstream o("r7.tmp");
      o << i;
    }
    std::ifstream in("r7.tmp");
    in >> b[i];
  }
  long h = 0;
  for (int i = 0; i < 200; i++)
    h = h * 31 + b[i];
  printf("%ld\n", h);
}
