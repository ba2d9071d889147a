/* Once a wrong directive at line 8: what `%s` reads by way of a `va_list` is not followed, which nobody had said. */
#include <stdio.h>
#include <stdarg.h>
#define N 2000
char b[N][64];
static void fmtv(char *o, const char *f, ...) { va_list ap; va_start(ap, f); vsnprintf(o, 64, f, ap); va_end(ap); }
int main(void) { int i, s = 0;
  for (i = 1; i < N; i++)
    fmtv(b[i], "%d%.20s", i % 10, b[i-1]);
  for (i = 0; i < N; i++) s += b[i][i % 20] * (i % 7);
  printf("%d\n", s); return 0; }
