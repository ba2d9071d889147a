#include <stdio.h>
static double G[400], H[400];
static void two(double x, double *a, double *b) { *a = x + 1; *b = x * 2; }
int main(void) { int j; double a, b, h = 0;
  for (j = 0; j < 400; j++) G[j] = j;
  for (j = 0; j < 400; j++) {
    two(G[j], &a, &b); H[j] = a * b; }
  for (j = 0; j < 400; j++) h = h * 0.9 + H[j];
  printf("%g\n", h); return 0; }
