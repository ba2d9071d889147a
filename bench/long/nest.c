// A short program with loops 17 regions deep, of which those that can run in parallel are the innermost.
#include <stdio.h>
static double m[32][32][32];
__attribute__((noinline)) static double five(double x) { for (int q = 0; q < 5; q++) x = x * 0.5 + q; return x; }
__attribute__((noinline)) static void cube(void) {
  for (int i = 0; i < 32; i++)
    for (int j = 0; j < 32; j++)
      for (int k = 0; k < 32; k++)
        m[i][j][k] = five(m[i][j][k] + i + j + k);
}
int main(void) {
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++)
      for (int c = 0; c < 2; c++)
        cube();
  printf("%f\n", m[3][4][5]);
}
