// Rows of one array whose length is known at run time alone, updated and read by the iteration that they belong to, and rows that meet.
#include <stdio.h>
enum { ROWS = 40, BINS = 16, N = 200 };
static int image[ROWS][N], *bins, wide = BINS;
static double cells[ROWS * BINS];
static long ends;

// Nothing is reduced but within the inner loop.
static void histograms(int *h) {
  for (int y = 0; y < ROWS; y++) { //: free; class DOALL
    for (int x = 0; x < N; x++) //: free; class DOALL_REDUCTION
      h[y * wide + image[y][x]]++;
    for (int b = 1; b < wide; b++) //: flow h[] +1>+1 1
      h[y * wide + b] += h[y * wide + b - 1];
  }
}

static void own_totals(const int *first) {
  for (int i = 0; i < ROWS; i++) { //: free; class DOALL
    for (int k = first[i]; k < first[i + 1]; k++) //: free
      cells[k] += k * 0.5;
    for (int k = first[i] + 1; k < first[i + 1]; k++) //: free
      cells[k] += cells[first[i]] * 0.25;
  }
}

// What is read is the work of earlier iterations too.
static void rows_that_meet(int *h) {
  for (int y = 0; y + 1 < ROWS; y++) { //: flow h[] +2>+2 1; flow h[] +2>+3 1; class SERIAL
    for (int x = 0; x < 2 * wide; x++) //: free
      h[y * wide + x] += image[y][x];
    ends += h[y * wide + wide];
  }
}

int main(void) {
  static int all[ROWS * BINS], first[ROWS + 1];
  bins = all;
  for (int y = 0; y < ROWS; y++) { //: free
    first[y + 1] = (y + 1) * BINS;
    for (int x = 0; x < N; x++) //: free
      image[y][x] = y * x % BINS;
  }
  histograms(bins);
  own_totals(first);
  rows_that_meet(bins);
  printf("%d %g %ld\n", bins[77], cells[33], ends);
  return 0;
}
