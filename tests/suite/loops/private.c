// levels: O0 O1 O3
// Temporaries that are written before they are read in every iteration: anti and output dependences are ignored.
#include "show.h"
enum { N = 64, M = 8 };
static int temporary, a[N], b[N], work[M], m[N][M], r[N][M];

static void scalar(void) {
  int t;
  // expect: DOALL sp=64 cp=8
  // clauses: private(t)
  // load 4, multiply 3, store 1
  for (int i = 0; i < N; i++) {
    t = a[i];
    b[i] = t * t;
  }
}

static void scalar_in_memory(void) {
  // expect: DOALL sp=64 cp=13
  // clauses: lastprivate(temporary)
  // load 4, store 1, reload 4, multiply 3, store 1
  for (int i = 0; i < N; i++) {
    temporary = a[i];
    b[i] = temporary * 3;
  }
}

static void array(void) {
  // expect: DOALL sp=64
  // clauses: lastprivate(work)
  // work[] is filled (load 4, store 1) and then read backwards (load 4, store 1): 10 in every iteration
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < M; j++)
      work[j] = m[i][j];
    for (int j = 0; j < M; j++)
      r[i][j] = work[M - 1 - j];
  }
}

static void local_array(void) {
  // expect: DOALL sp=64
  // clauses:
  for (int i = 0; i < N; i++) {
    int buffer[M];
    for (int j = 0; j < M; j++)
      buffer[j] = m[i][j] + 1;
    for (int j = 0; j < M; j++)
      r[i][M - 1 - j] = buffer[j];
  }
}

static void swap_halves(void) {
  // expect: DOALL sp=32 cp=6
  // clauses:
  // every pair is its own: N - 1 - i is computed (1), load 4, store 1
  for (int i = 0; i < N / 2; i++) {
    int t = a[i];
    a[i] = a[N - 1 - i];
    a[N - 1 - i] = t;
  }
}

static void partly_written(void) {
  // expect: SERIAL sp=(13+63*11)/(2+64*6+5)
  // carried: work +3->+3 distance 1
  // work[0] is set once only (compare 1, store 1); then every iteration reads what the one before left: load 4, add 1,
  // store 1 is the chain; reload 4 and store 1 to b hang off it
  for (int i = 0; i < N; i++) {
    if (i == 0)
      work[0] = 1;
    work[0] = work[0] + a[i];
    b[i] = work[0];
  }
}

int main(void) {
  for (int i = 0; i < N; i++)
    a[i] = i;
  scalar();
  scalar_in_memory();
  array();
  local_array();
  swap_halves();
  partly_written();
  SHOW(b), SHOW(r);
  return 0;
}
