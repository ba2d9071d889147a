/* Mandelbrot set; depth by pixel, total and deepest. */
#include <stdio.h>
#define W 90
#define H 60
int depth[H][W];
int maxiter = 120;

int escape(double cr, double ci) {
  double x = 0, y = 0, t;
  int i;
  for (i = 0; i < maxiter && x * x + y * y < 4; i++) {
    t = x * x - y * y + cr;
    y = 2 * x * y + ci;
    x = t;
  }
  return i;
}

int main(void) {
  int px, py, deepest = 0, dx = 0, dy = 0;
  long total = 0, check = 0;
  double cr, ci;
  for (py = 0; py < H; py++)
    for (px = 0; px < W; px++) {
      cr = -2.2 + 3.2 * px / W;
      ci = -1.2 + 2.4 * py / H;
      depth[py][px] = escape(cr, ci);
      total += depth[py][px];
    }
  for (py = 0; py < H; py++)
    for (px = 0; px < W; px++) {
      check += depth[py][px] * (long)(px + 1);
      if (depth[py][px] < maxiter && depth[py][px] > deepest) {
        deepest = depth[py][px];
        dx = px;
        dy = py;
      }
    }
  printf("%ld %ld %d %d %d\n", total, check, deepest, dx, dy);
  return 0;
}
