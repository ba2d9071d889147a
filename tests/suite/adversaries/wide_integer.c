/* Once a directive that does not build: `reduction(+:s)` (complete) of an __int128: link fails, undefined __atomic_load, __atomic_compare_exchange (needs -latomic). The same for reduction(+:) of a long double array. */
#include <stdio.h>
#define N 2000
int k[N];
int main(void){ int i; __int128 s = 0;
 for (i = 0; i < N; i++) k[i] = i;
 for (i = 0; i < N; i++) /*?*/
  s += k[i];
 printf("%d\n", (int)s); return 0; }
