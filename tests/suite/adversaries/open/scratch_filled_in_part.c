/* Wrong directives (observed), lines 17 and 22: private and firstprivate, which hold with argument 0; with 1 iterations read what earlier
   ones left in the arrays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 2000
static int x[N], len[N];
static double d[N], e[N];
int main(int argc, char **argv) {
  int i, j, mode = atoi(argv[1]);
  double loc[8] = {0}, row[8] = {0}, c = 0;
  for (i = 0; i < N; i++) {
    x[i] = mode && i % 5 == 3 ? -1 : 1;
    len[i] = mode ? 8 - i % 7 : 8;
    d[i] = i * 0.5;
  }
  for (i = 0; i < N; i++) {
    for (j = 0; j < 8; j++)
      if (x[i] >= 0) loc[j] = d[i] + j;
    e[i] = loc[3] * loc[7];
  }
  for (i = 0; i < N; i++) {
    for (j = 0; j < len[i]; j++)
      row[j] = d[i] + j;
    e[i] += row[3] * row[7];
  }
  for (i = 0; i < N; i++) {
    c += e[i] * (i % 13);
  }
  printf("%.3f\n", c);
  return 0;
}
