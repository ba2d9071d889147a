/* Gauss-Seidel in place and in red-black order. */
#include <stdio.h>
#define N 66
float g[N][N], h[N][N];
int n = N;

void natural(int sweeps) {
  int t, i, j;
  for (t = 0; t < sweeps; t++)
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < n - 1; j++)
        g[i][j] = (g[i - 1][j] + g[i + 1][j] + g[i][j - 1] + g[i][j + 1]) / 4;
}

void red_black(int sweeps) {
  int t, i, j, colour;
  for (t = 0; t < sweeps; t++)
    for (colour = 0; colour < 2; colour++)
      for (i = 1; i < n - 1; i++)
        for (j = 1 + (i + colour) % 2; j < n - 1; j += 2)
          h[i][j] = (h[i - 1][j] + h[i + 1][j] + h[i][j - 1] + h[i][j + 1]) / 4;
}

int main(void) {
  int i, j;
  double a = 0, b = 0;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      g[i][j] = h[i][j] = i == 0 || j == 0 ? 100 : (i * j) % 7;
  natural(6);
  red_black(6);
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      a += g[i][j];
      b += h[i][j] * (j % 3);
    }
  printf("%.6f %.6f\n", a, b);
  return 0;
}
