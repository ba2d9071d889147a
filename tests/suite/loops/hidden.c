// levels: O0 O1 O3
// Dependences that cost nothing: they hide in the shadow of a longer iteration, or end where they begin. None of these loops
// is DOALL, for an iteration reads what an earlier one wrote.
#include "show.h"
enum { N = 64 };
static double m[N][N], q[N][N], b[N], c[N], d[N], w[N], v[N];
static long chain[N][N], dims[N + 1];
static int key[N], sum[N], table[16], memo[N], flag, out[N], lot[N];
static unsigned seed = 7, mix[N];

static void lu(void) {
  int i, j, k;
  // expect: CARRIED
  // carried: m +10->+6 distance 1
  // carried: m +10->+10 distance 1
  // step k eliminates with row k, which all steps before have changed; the steps shrink
  for (k = 0; k < N; k++)
    // expect: DOALL
    // clauses: private(j)
    // row k and m[k][k] were written in earlier steps k; each i has a row of its own
    for (i = k + 1; i < N; i++) {

      m[i][k] /= m[k][k];
      // expect: DOALL
      // clauses:
      for (j = k + 1; j < N; j++)
        m[i][j] -= m[i][k] * m[k][j];
    }
}

static void growing(void) {
  // expect: CARRIED
  // carried: b +1->+1 distance 1
  // the chain through b[] needs 7 a step, the rows beside it get longer and longer
  for (int i = 1; i < N; i++) {
    b[i] = b[i - 1] + 1;
    // expect: DOALL
    // clauses:
    for (int j = 0; j < i; j++)
      q[i][j] = q[i][j] * 2 + j * 3.0 / (j + 1);
  }
}

static void matrix_chain(void) {
  // expect: CARRIED
  // carried: chain +12->+7 distance 1..61
  // row i takes entries of the rows below, which were computed before
  for (int i = N - 1; i >= 1; i--) {
    // expect: CARRIED
    // carried: chain +8->+3 distance 1..61
    // entry j takes the entries on its left
    for (int j = i + 1; j < N; j++) {
      long best = 1l << 60;
      for (int k = i; k < j; k++) {
        long one = chain[i][k] + chain[k + 1][j] + dims[i - 1] * dims[k] * dims[j];
        if (one < best)
          best = one;
      }

      chain[i][j] = best;
    }
  }
}

static void seeds(void) {
  // expect: CARRIED
  // carried: seed +1->+1 distance 1
  // carried: mix +3->+3 distance 1
  // iterations shrink: the next seed is there long before the first iteration ends
  for (int i = 0; i < N; i++) {
    seed = seed * 1664525u + 1013904223u;
    for (int j = i; j < N; j++)
      mix[j] ^= (seed >> (j & 15)) * 2654435761u;
  }
}

static void written_early(void) {
  // expect: CARRIED
  // carried: key +1->+3 distance 3
  for (int i = 0; i < N; i++) {
    key[i] = i;
    if (i >= 3)
      sum[i] = key[i - 3] * 2;
  }
}

static void neighbour(void) {
  // expect: CARRIED
  // carried: d +1->+2 distance 1
  // a constant is stored: nothing has to be waited for but the store
  for (int i = 1; i < N; i++) {
    d[i] = 1;
    c[i] = d[i] + d[i - 1];
  }
}

static void differences(void) {
  double prev = 0;
  // expect: CARRIED
  // carried: prev +2->+1 distance 1
  for (int i = 0; i < N; i++) {
    w[i] = v[i] - prev;
    prev = v[i];
  }
}

static void memo_table(void) {
  // expect: CARRIED
  // carried: table +3->+2 distance 16..48
  // carried: table +3->+4 distance 16..48
  // 16 entries for 64 iterations: an entry is computed once and found later
  for (int i = 0; i < N; i++) {
    int k = i & 15;
    if (!table[k])
      table[k] = k * k + 1;
    memo[i] = table[k];
  }
}

static void ready(void) {
  // expect: CARRIED
  // carried: flag +2->+3 distance 1..63
  for (int i = 0; i < N; i++) {
    if (i == 0)
      flag = 7;
    out[i] = flag * i;
  }
}

static void long_last(void) {
  // expect: CARRIED
  // carried: lot +1->+1 distance 1
  // the last iteration alone is longer than the chain before it
  for (int i = 1; i < N; i++) {
    lot[i] = lot[i - 1] + 1;
    if (i == N - 1)
      for (int j = 0; j < 4000; j++)
        c[j & 63] = c[j & 63] * 0.5 + 1;
  }
}

static void long_first(double *x) {
  double carry = 0;
  // expect: CARRIED
  // carried: carry +4->+3 distance 1
  // carried: x +2->+3 distance 1..63
  for (int i = 0; i < N; i++) {
    for (int j = i ? N : 0; j < N; j++)
      x[j] = x[j] / 3 + 1;
    x[i] += carry;
    carry = x[i] > 10 ? 1 : 2;
  }
}

int main(void) {
  for (int i = 0; i < N; i++) {
    v[i] = i * 3 % 17;
    dims[i] = i * 7 % 13 + 1;
    for (int j = 0; j < N; j++)
      m[i][j] = i == j ? N : (i * 31 + j * 17) % 29 / 29.0;
  }
  lu();
  growing();
  matrix_chain();
  seeds();
  written_early();
  neighbour();
  differences();
  memo_table();
  ready();
  long_last();
  long_first(w);
  SHOW(m), SHOW(q), SHOW(b), SHOW(c), SHOW(d), SHOW(w), SHOW(chain), SHOW(sum), SHOW(memo), SHOW(out), SHOW(lot), SHOW(mix);
  return 0;
}
