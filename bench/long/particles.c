// Particles in cells, whose forces are small functions called by pointer.  Arguments: steps, particles.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { double x[3], v[3], f[3]; int next; uint8_t type; } particle;
typedef double (*kernel)(const particle *, const particle *, double *);
typedef union { double d; uint64_t u; } bits;
static particle *ps;
static int np, nc;
static int *head;
static double box = 10.0;
static double lj(const particle *a, const particle *b, double *f) {
  double r2 = 0;
  for (int k = 0; k < 3; k++) { double d = a->x[k] - b->x[k]; d -= box * rint(d / box); f[k] = d; r2 += d * d; }
  if (r2 > 1.0 || r2 < 1e-9) { f[0] = f[1] = f[2] = 0; return 0; }
  double i2 = 1 / (r2 + 0.01), i6 = i2 * i2 * i2, m = 24 * i6 * (2 * i6 - 1) * i2 * 1e-6;
  for (int k = 0; k < 3; k++) f[k] *= m;
  return 4 * i6 * (i6 - 1) * 1e-6;
}
static double soft(const particle *a, const particle *b, double *f) {
  double r2 = 0;
  for (int k = 0; k < 3; k++) { double d = a->x[k] - b->x[k]; d -= box * rint(d / box); f[k] = d; r2 += d * d; }
  if (r2 > 1.0) { f[0] = f[1] = f[2] = 0; return 0; }
  double w = 1 - sqrt(r2);
  for (int k = 0; k < 3; k++) f[k] *= w * 1e-3;
  return w * w;
}
static kernel kernels[2] = {lj, soft};
static int cell_of(const double *x) {
  int c = 0;
  for (int k = 0; k < 3; k++) {
    int q = (int)(x[k] / box * nc);
    if (q < 0) q = 0;
    if (q >= nc) q = nc - 1;
    c = c * nc + q;
  }
  return c;
}
static void bin(void) {
  memset(head, 0xff, sizeof(int) * nc * nc * nc);
  for (int i = 0; i < np; i++) { int c = cell_of(ps[i].x); ps[i].next = head[c]; head[c] = i; }
}
static double forces(void) {
  double e = 0;
  for (int cx = 0; cx < nc; cx++) for (int cy = 0; cy < nc; cy++) for (int cz = 0; cz < nc; cz++) {
    for (int i = head[(cx * nc + cy) * nc + cz]; i >= 0; i = ps[i].next) {
      particle *a = &ps[i];
      a->f[0] = a->f[1] = a->f[2] = 0;
      for (int dx = -1; dx <= 1; dx++) for (int dy = -1; dy <= 1; dy++) for (int dz = -1; dz <= 1; dz++) {
        int c = (((cx + dx + nc) % nc) * nc + (cy + dy + nc) % nc) * nc + (cz + dz + nc) % nc;
        for (int j = head[c]; j >= 0; j = ps[j].next) {
          if (j == i) continue;
          double f[3];
          e += kernels[a->type ^ ps[j].type](a, &ps[j], f);
          for (int k = 0; k < 3; k++) a->f[k] += f[k];
        }
      }
    }
  }
  return e;
}
static void integrate(double dt) {
  for (int i = 0; i < np; i++) for (int k = 0; k < 3; k++) {
    ps[i].v[k] += dt * ps[i].f[k];
    ps[i].x[k] += dt * ps[i].v[k];
    if (ps[i].x[k] < 0) ps[i].x[k] += box; else if (ps[i].x[k] >= box) ps[i].x[k] -= box;
  }
}
int main(int argc, char **argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 20;
  np = argc > 2 ? atoi(argv[2]) : 8000;
  nc = 10;
  ps = calloc(np, sizeof *ps);
  head = malloc(sizeof(int) * nc * nc * nc);
  if (!ps || !head) return 3;
  uint64_t s = 42;
  for (int i = 0; i < np; i++) {
    for (int k = 0; k < 3; k++) {
      s = s * 6364136223846793005u + 1442695040888963407u;
      ps[i].x[k] = (s >> 11) * (box / 9007199254740992.0);
    }
    ps[i].type = s >> 63;
  }
  double e = 0;
  uint64_t h = 0;
  for (int t = 0; t < steps; t++) { bin(); e = forces(); integrate(0.01); bits b = {e}; h = h * 31 + b.u; }
  printf("%.12g %016llx\n", e, (unsigned long long)h);
  free(ps);
  free(head);
}
