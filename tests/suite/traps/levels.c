// levels: O1
// Deeper than the lanes of one run: main, three nested loops and their iterations, a call, two more nested loops: depth 12.
enum { N = 3, M = 5 };
static int a[N][N][N][M][M], chain[M + 1];

static void inner(int (*x)[M]) {
  // expect: DOALL sp=5 instances=27 iters=27*5
  for (int i = 0; i < M; i++)
    // expect: DOALL sp=5 instances=27*5 iters=27*25 cp=27*5*4
    // i * j: multiply 3, store 1
    for (int j = 0; j < M; j++)
      x[i][j] = i * j;
  // expect: SERIAL sp=5*8/(5*8) instances=27 cp=27*(5*8)
  // load 4, multiply 3, store 1; i + 1 beside the load
  for (int i = 0; i < M; i++)
    chain[i + 1] = chain[i] * 3;
}

int main(void) {
  // expect: DOALL sp=3 instances=1
  // chain[0] never changes, so the chains of different calls do not meet
  for (int i = 0; i < N; i++)
    // expect: DOALL sp=3 instances=3
    for (int j = 0; j < N; j++)
      // expect: DOALL sp=3 instances=9 iters=27
      for (int k = 0; k < N; k++)
        inner(a[i][j][k]);
  return 0;
}
