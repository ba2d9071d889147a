/* Game of life on a torus, two boards swapped by pointers. */
#include <stdio.h>
#include <stdlib.h>
int rows, cols;
unsigned char board1[128 * 128], board2[128 * 128];

int neighbours(unsigned char *b, int r, int c) {
  int dr, dc, n = 0;
  for (dr = -1; dr <= 1; dr++)
    for (dc = -1; dc <= 1; dc++)
      if (dr || dc)
        n += b[(r + dr + rows) % rows * cols + (c + dc + cols) % cols];
  return n;
}

void step(unsigned char *from, unsigned char *to) {
  int r, c, n;
  for (r = 0; r < rows; r++)
    for (c = 0; c < cols; c++) {
      n = neighbours(from, r, c);
      to[r * cols + c] = n == 3 || (n == 2 && from[r * cols + c]);
    }
}

int main(void) {
  unsigned char *now = board1, *then = board2, *t;
  int i, alive = 0;
  unsigned hash = 0;
  rows = 80;
  cols = 96;
  for (i = 0; i < rows * cols; i++)
    now[i] = (i * 2654435761u >> 16) % 3 == 0;
  for (i = 0; i < 12; i++) {
    step(now, then);
    t = now;
    now = then;
    then = t;
  }
  for (i = 0; i < rows * cols; i++) {
    alive += now[i];
    hash = hash * 31 + now[i];
  }
  printf("%d %u\n", alive, hash);
  return 0;
}
