/* Once wrong directives at lines 11, 14 and 16: what `strtol` and the like write to their second argument was not seen. */
#include <stdio.h>
#include <stdlib.h>
#define N 2000
char text[N * 8], num[N][8], *cur, *endp; double x[N]; int len[N]; struct rd { char *p; } R;
static double next(struct rd *r) { return strtod(r->p, &r->p); }
int main(void) { int i; double s = 0; char *p = text;
  for (i = 0; i < N; i++) p += sprintf(p, "%d ", i * 7919 % N), sprintf(num[i], "%d", i);
  cur = text;
  for (i = 0; i < N; i++)
    x[i] = strtod(cur, &cur);
  R.p = text;
  for (i = 0; i < N; i++)
    x[i] += next(&R);
  for (i = 0; i < N; i++) {
    x[i] += strtol(num[i], &endp, 10);
    len[i] = endp - num[i]; }
  for (i = 0; i < N; i++) s += x[i] * (i % 7) + len[i];
  printf("%.10g %d\n", s, (int)(cur - text)); return 0; }
