/* Once wrong words: line 7 is class DOALL, "no carried dependence in 2000 iterations": strcat(big, "x") reads what the iterations before appended. */
#include <stdio.h>
#include <string.h>
#define N 2000
static char big[N + 1];
int main(void){ int i;
 for (i = 0; i < N; i++) /*S*/
  strcat(big, "x");
 printf("%zu\n", strlen(big)); return 0; }
