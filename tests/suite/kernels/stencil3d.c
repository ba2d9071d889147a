/* Three-dimensional stencil by macros, two buffers chosen by the parity of the step. */
#include <stdio.h>
#define NX 22
#define NY 20
#define NZ 18
#define IX(i, j, k) (((i) * NY + (j)) * NZ + (k))
#define LOOP3 for (i = 1; i < NX - 1; i++) for (j = 1; j < NY - 1; j++) for (k = 1; k < NZ - 1; k++)
static double grid[2][NX * NY * NZ];

int main(void) {
  int i, j, k, t;
  double s = 0, lo = 1e9, hi = -1e9;
  for (i = 0; i < NX * NY * NZ; i++)
    grid[0][i] = grid[1][i] = i * 17 % 29;
  for (t = 0; t < 6; t++) {
    double *u = grid[t % 2], *v = grid[1 - t % 2];
    for (i = 1; i < NX - 1; i++)
      for (j = 1; j < NY - 1; j++)
        for (k = 1; k < NZ - 1; k++)
          v[IX(i, j, k)] = u[IX(i, j, k)] * 0.4 + 0.1 * (u[IX(i - 1, j, k)] + u[IX(i + 1, j, k)] + u[IX(i, j - 1, k)] +
                                                         u[IX(i, j + 1, k)] + u[IX(i, j, k - 1)] + u[IX(i, j, k + 1)]);
  }
  LOOP3 s += grid[0][IX(i, j, k)];
  for (i = 0; i < NX * NY * NZ; i++) {
    if (grid[0][i] < lo)
      lo = grid[0][i];
    if (grid[0][i] > hi)
      hi = grid[0][i];
  }
  printf("%.9f %.9f %.9f\n", s, lo, hi);
  return 0;
}
