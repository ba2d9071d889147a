/* Cell lists: particles sorted into cells, neighbour sums, counters in a callee, index arrays. */
#include <stdio.h>
#include <string.h>
#define P 1500
#define CELLS 16
static float px[P], py[P], density[P];
static int cell_of[P], count[CELLS * CELLS], start[CELLS * CELLS + 1], order[P], where[CELLS * CELLS];
static long pairs;

static int cell(float x, float y) {
  int cx = (int)(x * CELLS), cy = (int)(y * CELLS);
  return cy * CELLS + cx;
}

static float kernel(float dx, float dy) {
  float r = dx * dx + dy * dy;
  pairs++;
  return r < 0.004f ? 0.004f - r : 0;
}

int main(void) {
  int i, j, c, k, dx, dy;
  double s = 0;
  for (i = 0; i < P; i++) {
    px[i] = (i * 7919 % 10007) / 10007.0f;
    py[i] = (i * 104729 % 10009) / 10009.0f;
    cell_of[i] = cell(px[i], py[i]);
  }
  for (i = 0; i < P; i++)
    count[cell_of[i]]++;
  for (c = 0; c < CELLS * CELLS; c++)
    start[c + 1] = start[c] + count[c];
  memcpy(where, start, sizeof where);
  for (i = 0; i < P; i++)
    order[where[cell_of[i]]++] = i;
  for (i = 0; i < P; i++) {
    density[i] = 0;
    for (dy = -1; dy <= 1; dy++)
      for (dx = -1; dx <= 1; dx++) {
        int cx = cell_of[i] % CELLS + dx, cy = cell_of[i] / CELLS + dy;
        if (cx < 0 || cy < 0 || cx >= CELLS || cy >= CELLS)
          continue;
        c = cy * CELLS + cx;
        for (k = start[c]; k < start[c + 1]; k++) {
          j = order[k];
          density[i] += kernel(px[i] - px[j], py[i] - py[j]);
        }
      }
  }
  for (i = 0; i < P; i++)
    s += density[i] * (i % 7);
  printf("%ld %.8f\n", pairs, s);
  return 0;
}
