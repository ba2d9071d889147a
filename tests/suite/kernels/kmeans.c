/* k-means in the plane, variables at the top of the function. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#define POINTS 3000
#define K 8
typedef struct {
  double x, y;
  int cluster;
} point;
point pts[POINTS];
double cx[K], cy[K], sumx[K], sumy[K];
int cnt[K];

int assign(void) {
  int i, k, best, changed = 0;
  double d, dmin, dx, dy;
  for (i = 0; i < POINTS; i++) {
    dmin = DBL_MAX;
    best = 0;
    for (k = 0; k < K; k++) {
      dx = pts[i].x - cx[k];
      dy = pts[i].y - cy[k];
      d = dx * dx + dy * dy;
      if (d < dmin) {
        dmin = d;
        best = k;
      }
    }
    if (pts[i].cluster != best) {
      pts[i].cluster = best;
      changed++;
    }
  }
  return changed;
}

void update(void) {
  int i, k;
  for (k = 0; k < K; k++) {
    sumx[k] = sumy[k] = 0;
    cnt[k] = 0;
  }
  for (i = 0; i < POINTS; i++) {
    k = pts[i].cluster;
    sumx[k] += pts[i].x;
    sumy[k] += pts[i].y;
    cnt[k]++;
  }
  for (k = 0; k < K; k++)
    if (cnt[k]) {
      cx[k] = sumx[k] / cnt[k];
      cy[k] = sumy[k] / cnt[k];
    }
}

int main(void) {
  int i, rounds = 0;
  double s = 0;
  for (i = 0; i < POINTS; i++) {
    pts[i].x = (i * 7919 % 10007) / 100.0;
    pts[i].y = (i * 104729 % 10009) / 100.0;
    pts[i].cluster = -1;
  }
  for (i = 0; i < K; i++) {
    cx[i] = pts[i * 37].x;
    cy[i] = pts[i * 37].y;
  }
  while (rounds < 10 && assign() > 5) {
    update();
    rounds++;
  }
  for (i = 0; i < K; i++)
    s += cx[i] * (i + 1) + cy[i];
  printf("%d %d %.8f\n", rounds, cnt[0], s);
  return 0;
}
