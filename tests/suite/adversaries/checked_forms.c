/* Once wrong directives: the forms of library functions that check their arguments, and `erand48`, were not known. */
#define _FORTIFY_SOURCE 2
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 1000
char b[N][32], t[N][32]; double w[N];
int main(void) { int i; double s = 0; char *e;
  for (i = 0; i < N; i++)
    sprintf(t[i], "%d", i);
  for (i = 0; i < N; i++)
    strcpy(b[i], t[i]);
  for (i = 1; i < N; i++)
    snprintf(b[i], 32, "%.20s%d", b[i-1], i % 10);
  for (i = 0; i < N; i++)
    printf("%s\n", b[i]);
  for (i = 0; i < N; i++)
    fprintf(stdout, "%c", b[i][0] ? '.' : 'x');
  for (i = 0; i < N; i++)
    w[i] += erand48((unsigned short *)b[3]);
  for (i = 0; i < N; i++) s += b[i][i % 20] + w[i];
  printf("%.10g\n", s); return 0; }
