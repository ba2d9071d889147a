// K5: shape of ft and lu. The outer loop is DOALL with self-parallelism 8 and by itself the best single choice (speedup
// close to 8 against 2 for each inner loop), but the two inner loops together beat it: with both of them parallel the
// time falls by a factor of hundreds. Greedy choice takes the outer loop, dynamic programming the two inner ones.
enum { BLOCKS = 8, N = 1000 };
static double a[BLOCKS][N], b[BLOCKS][N];

static void transform(void) {
  // expect: DOALL sp=8 coverage>=0.9
  for (int k = 0; k < BLOCKS; k++) { // outer
    // expect: DOALL sp=1000 coverage>=0.45
    for (int i = 0; i < N; i++) // inner 1
      a[k][i] = (k + i) / 3.0 / 5.0 / 7.0 / 11.0;
    // expect: DOALL sp=1000 coverage>=0.45
    for (int i = 0; i < N; i++) // inner 2
      b[k][i] = (k - i) / 3.0 / 5.0 / 7.0 / 11.0;
  }
}

int main(void) {
  transform();
  return 0;
}
