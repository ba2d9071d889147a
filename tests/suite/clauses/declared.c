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

int main(void) {
  double s = 0;
  for (int i = 0; i < N; i++)
    a[i] = i % 13;
  of_five_megabytes();
  of_some_kilobytes();
  for (int i = 0; i < N; i++)
    s += b[i] * (i % 7);
  printf("%.12g\n", s);
  return 0;
}
