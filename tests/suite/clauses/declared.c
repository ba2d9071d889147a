// Arrays that a loop's body declares: each thread has one on its stack, beside what lies there.
#include <stdio.h>
#define N 400
static double a[N], b[N];

static void of_five_megabytes(void) {
  // clauses: unchecked -- the stack may end
  for (int i = 0; i < N; i++) {
    double w[200][3300];
    for (int j = 0; j < 200; j++)
      w[j][0] = a[i] + j;
    b[i] += w[i % 200][0];
  }
}

static void of_some_kilobytes(void) {
  // clauses: none
  for (int i = 0; i < N; i++) {
    double w[200][4];
    for (int j = 0; j < 200; j++)
      w[j][0] = a[i] - j;
    b[i] += w[i % 200][0];
  }
}

struct sheet {
  int rows[300];
  float cells[300][2000];
};

static void of_a_structure(void) {
  // clauses: unchecked -- the stack may end
  for (int i = 0; i < N; i++) {
    struct sheet s;
    for (int j = 0; j < 300; j++) {
      s.rows[j] = i + j;
      s.cells[j][i % 2000] = a[i] * j;
    }
    b[i] += s.cells[i % 300][i % 2000] + s.rows[i % 300];
  }
}

static void below_the_limit(void) {
  // clauses: none
  for (int i = 0; i < N; i++) {
    double w[125][1000];
    for (int j = 0; j < 125; j++)
      w[j][i] = a[i] + 2 * j;
    b[i] += w[i % 125][i];
  }
}

static void in_an_inner_block(void) {
  // clauses: unchecked -- the stack may end
  for (int i = 0; i < N; i++) {
    if (a[i] > 3) {
      char w[64][40000];
      for (int j = 0; j < 64; j++)
        w[j][i] = (char)(i * j);
      b[i] += w[i % 64][i];
    }
  }
}

int main(void) {
  double s = 0;
  for (int i = 0; i < N; i++)
    a[i] = i % 13;
  of_five_megabytes();
  of_some_kilobytes();
  of_a_structure();
  below_the_limit();
  in_an_inner_block();
  for (int i = 0; i < N; i++)
    s += b[i] * (i % 7);
  printf("%.12g\n", s);
  return 0;
}
