/* Static and global scratch space that every iteration fills anew, partly fills, or counts on. */
#include <stdio.h>
#include <string.h>
#define ROWS 200
#define COLS 40
static int table[ROWS][COLS], out[ROWS], modes[ROWS], carry[ROWS];
static int line[COLS], seen[64];
int tmp;

static int median(int *row) {
  int i, j;
  memcpy(line, row, sizeof line);
  for (i = 1; i < COLS; i++) {
    tmp = line[i];
    for (j = i; j > 0 && line[j - 1] > tmp; j--)
      line[j] = line[j - 1];
    line[j] = tmp;
  }
  return line[COLS / 2];
}

static int mode(const int *row) {
  int i, best = 0;
  memset(seen, 0, sizeof seen);
  for (i = 0; i < COLS; i++)
    seen[row[i] & 63]++;
  for (i = 1; i < 64; i++)
    if (seen[i] > seen[best])
      best = i;
  return best;
}

static char *name(int i) {
  static char buf[32];
  sprintf(buf, "row-%d", i);
  return buf;
}

int main(void) {
  int i, j, last = 0;
  unsigned long s = 0;
  for (i = 0; i < ROWS; i++)
    for (j = 0; j < COLS; j++)
      table[i][j] = (i * 53 + j * 29) % 61;
  for (i = 0; i < ROWS; i++)
    out[i] = median(table[i]);
  for (i = 0; i < ROWS; i++)
    modes[i] = mode(table[i]);
  for (i = 0; i < ROWS; i++) {
    char *p = name(i);
    carry[i] = (int)strlen(p) + p[4];
  }
  for (i = 0; i < ROWS; i++) {
    last = table[i][i % COLS];
    out[i] += last;
  }
  for (i = 0; i < ROWS; i++)
    s = s * 3 + out[i] + modes[i] + carry[i];
  printf("%lu %d\n", s, last);
  return 0;
}
