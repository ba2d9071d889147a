/* Global arrays that iterations fill before they read them, and that are no scratch space of theirs all the same: a called function works on the
   global, the function calls itself, a pointer leads there, what the loop left is read later, elements stay as they were. The last two loops are
   right with a clause. */
#include <stdio.h>
#define N 300
#define M 64

static double helped[M], deep[M], led[M], left[M], partly[M], grown[M], plain[M];
double open_to_all[M];
static double out[N], *lead;

static void scale(int n) {
  for (int k = 0; k < n; k++)
    helped[k] *= 0.5;
}

static double deeper(int depth, int from, int to) {
  double s = 0;
  for (int i = from; i < to; i++) {
    for (int k = 0; k < M; k++)
      deep[k] = i + k + depth;
    if (depth > 0)
      s += deeper(depth - 1, i, i + 3);
    out[i % N] += deep[i % M];
  }
  return s;
}

static double read_left(void) {
  double s = 0;
  for (int k = 0; k < M; k++)
    s = s * 0.5 + left[k];
  return s;
}

int main(void) {
  double s = 0;
  lead = led;
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < M; k++)
      helped[k] = i * 0.5 + k;
    scale(M);
    out[i] = helped[i % M];
  }
  s += deeper(2, 0, N);
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < M; k++)
      led[k] = i + k;
    lead[i % M] = -1;
    out[i] += led[i % M] + led[3];
  }
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < M - i % 5; k++)
      left[k] = i + k;
    out[i] += left[i % 8];
  }
  s += read_left();
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < M; k += 2)
      partly[k] = i + k;
    out[i] += partly[i % M];
    partly[1] = i;
  }
  for (int i = 0; i < N; i++) {
    for (int k = i % 2; k < M; k++)
      grown[k] = i + k;
    out[i] += grown[i % M] + grown[0];
  }
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < M; k++)
      plain[k] = i + k;
    out[i] += plain[i % M] + plain[M - 1 - i % M];
  }
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < M; k++)
      open_to_all[k] = i - k;
    out[i] += open_to_all[i % M];
  }
  for (int i = 0; i < N; i++)
    s = s * 0.75 + out[i];
  printf("%.6g %g\n", s, open_to_all[7]);
  return 0;
}
