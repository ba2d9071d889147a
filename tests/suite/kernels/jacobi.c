/* Jacobi iteration with a residual, bounds in a global array. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int size[2] = {70, 60};
double *u, *v, *f;

double sweep(double *from, double *to) {
  int i, j;
  double r = 0, d;
  for (i = 1; i < size[0] - 1; i++)
    for (j = 1; j < size[1] - 1; j++) {
      to[i * size[1] + j] = 0.25 * (from[(i - 1) * size[1] + j] + from[(i + 1) * size[1] + j] + from[i * size[1] + j - 1] +
                                    from[i * size[1] + j + 1] - f[i * size[1] + j]);
      d = fabs(to[i * size[1] + j] - from[i * size[1] + j]);
      if (d > r)
        r = d;
    }
  return r;
}

int main(void) {
  int i, it, total = size[0] * size[1];
  double r = 1, s = 0, *t;
  u = calloc(total, sizeof *u);
  v = calloc(total, sizeof *v);
  f = calloc(total, sizeof *f);
  for (i = 0; i < total; i++)
    f[i] = (i % 19 - 9) / 100.0;
  for (it = 0; it < 30 && r > 1e-6; it++) {
    r = sweep(u, v);
    t = u;
    u = v;
    v = t;
  }
  for (i = 0; i < total; i++)
    s += u[i] * (i % 5);
  printf("%d %.10f %.10f\n", it, r, s);
  return 0;
}
