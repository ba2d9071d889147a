// Two calls of a function in an inner loop of constant length, which once crashed the compiler.
#include <stdio.h>
static double *at(double *d, int i, int j) { return &d[i * 12 + j]; }
int main(void) { double m[144], k[144];
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++) {
      *at(m, i, j) = i * j; *at(k, i, j) = i - j; }
  printf("%g\n", m[40] + k[50]); }
