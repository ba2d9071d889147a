/* All pairs of bodies, structs, forces kept in a separate array; the symmetric form adds to both. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
struct vec { double x, y, z; };
struct body { struct vec pos, vel, acc; double mass; };
static int nbodies;

static void forces(struct body *b, int n) {
  int i, j;
  for (i = 0; i < n; i++) {
    struct vec a = {0, 0, 0};
    for (j = 0; j < n; j++) {
      double dx = b[j].pos.x - b[i].pos.x, dy = b[j].pos.y - b[i].pos.y, dz = b[j].pos.z - b[i].pos.z;
      double r2 = dx * dx + dy * dy + dz * dz + 0.01, f = b[j].mass / (r2 * sqrt(r2));
      a.x += dx * f;
      a.y += dy * f;
      a.z += dz * f;
    }
    b[i].acc = a;
  }
}

static void advance(struct body *b, double dt) {
  int i;
  for (i = 0; i < nbodies; i++) {
    b[i].vel.x += dt * b[i].acc.x;
    b[i].vel.y += dt * b[i].acc.y;
    b[i].vel.z += dt * b[i].acc.z;
    b[i].pos.x += dt * b[i].vel.x;
    b[i].pos.y += dt * b[i].vel.y;
    b[i].pos.z += dt * b[i].vel.z;
  }
}

static void collide(struct body *b) {
  int i, j;
  for (i = 0; i < nbodies; i++)
    for (j = i + 1; j < nbodies; j++) {
      double dx = b[j].pos.x - b[i].pos.x, m = 1e-6 / (dx * dx + 1);
      b[i].vel.x -= m;
      b[j].vel.x += m;
    }
}

int main(void) {
  struct body *b;
  int i, t;
  double e = 0;
  nbodies = 120;
  b = malloc(nbodies * sizeof *b);
  for (i = 0; i < nbodies; i++) {
    b[i].pos.x = i * 37 % 101;
    b[i].pos.y = i * 53 % 103;
    b[i].pos.z = i * 71 % 107;
    b[i].vel.x = b[i].vel.y = b[i].vel.z = 0;
    b[i].mass = 1 + i % 5;
  }
  for (t = 0; t < 5; t++) {
    forces(b, nbodies);
    advance(b, 0.01);
    collide(b);
  }
  for (i = 0; i < nbodies; i++)
    e += b[i].mass * (b[i].vel.x * b[i].vel.x + b[i].vel.y * b[i].vel.y) + b[i].pos.z;
  printf("%.9e\n", e);
  free(b);
  return 0;
}
