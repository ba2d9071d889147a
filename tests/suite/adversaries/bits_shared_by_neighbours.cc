// Once a directive (`observed`) that loses updates when neighbouring elements are written: several of them share a word, be it that this run wrote
// distant ones only. (With argument 1: 63901 instead of 64000.)
#include <bitset>
#include <cstdio>
#include <cstdlib>
#include <vector>
static int v[64000];
static std::bitset<64000> set;
int main(int argc, char **argv) {
  int k = argc > 1 ? atoi(argv[1]) : 1000;
  std::vector<bool> hit(64000);
  for (int i = 0; i < 64000; i++)
    v[i] = i;
  for (int i = 0; i < 64000; i++)
    if (v[i] % k == 0) hit[i] = true;
  for (int i = 0; i < 64000; i++)
    if (v[i] % k == 0) set[i] = true;
  for (int i = 0; i < 64000; i++)
    if (v[i] % k == 0) set.set(i);
  for (int i = 0; i < 64000; i++)
    if (v[i] % k == 0) hit[i].flip();
  int c = 0;
  for (int i = 0; i < 64000; i++)
    c += hit[i] + set[i];
  printf("%d\n", c);
}
