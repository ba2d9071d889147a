/* Estimates of pi with an own generator: one seed for all samples, and one seed for each block. */
#include <stdio.h>
static unsigned long seed = 42;

static double next(void) {
  seed = seed * 6364136223846793005UL + 1442695040888963407UL;
  return (seed >> 11) / 9007199254740992.0;
}

static double draw(unsigned long *s) {
  *s = *s * 6364136223846793005UL + 1442695040888963407UL;
  return (*s >> 11) / 9007199254740992.0;
}

int main(void) {
  int i, j, inside = 0, blocks[64];
  long total = 0;
  double x, y;
  for (i = 0; i < 60000; i++) {
    x = next();
    y = next();
    if (x * x + y * y < 1)
      inside++;
  }
  for (i = 0; i < 64; i++) {
    unsigned long s = i * 7777 + 1;
    blocks[i] = 0;
    for (j = 0; j < 1000; j++) {
      x = draw(&s);
      y = draw(&s);
      if (x * x + y * y < 1)
        blocks[i]++;
    }
  }
  for (i = 0; i < 64; i++)
    total += blocks[i] * (i + 1);
  printf("%d %ld\n", inside, total);
  return 0;
}
