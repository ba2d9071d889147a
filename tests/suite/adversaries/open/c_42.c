#include <stdio.h>
static int best[16], x[2000], cls[2000]; struct P { double x, y; int k; }; static struct P pt[2000];
int main(void) { int i, k; double h = 0; struct P t;
  for (i = 0; i < 2000; i++) { x[i] = i * 31 % 533; cls[i] = i % 16; }
  for (i = 0; i < 2000; i++)
    if (x[i] > best[cls[i]]) best[cls[i]] = x[i];
  for (i = 0; i < 2000; i++) {
    t.x = x[i]; t.y = t.x * 2; t.k = i; pt[i] = t; }
  for (k = 0; k < 16; k++) h = h * 3 + best[k];
  printf("%g %g %g %d\n", h, t.x, t.y + pt[7].y, t.k); return 0; }
