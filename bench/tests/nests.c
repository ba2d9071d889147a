// Nests that native versions take for one loop: inner loops that run a constant, small number of times.
#include <stdio.h>

enum { N = 400 };
static double a[N + 2], b[N + 2];
static int c[N + 2];

static double stencil(void) {
  double all = 0;
  for (int i = 1; i <= N; i++) {
    double x = a[i];
    for (int k = 0; k < 5; k++)
      x = x * 0.5 + a[i - 1] * 0.25 + a[i + 1] * 0.25;
    b[i] = x;
    all += x;
  }
  return all;
}

// Two inner loops, one of them not in all iterations, and a nest within.
static int mixed(int from) {
  int sum = from;
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < 3; k++)
      sum = sum * 5 + c[i] + k;
    if (sum & 4)
      for (int k = 0; k < 4; k++)
        for (int m = 0; m < 2; m++)
          c[i] ^= sum >> (k + m);
  }
  return sum;
}

// Left in the middle, of the outer loop and of an inner one.
static int find(int wanted) {
  for (int i = 0; i < N; i++) {
    int low = 0;
    for (int k = 0; k < 8; k++) {
      low += c[i] >> k & 1;
      if (low * i % 97 == wanted)
        return i * 8 + k;
    }
    if (low == 9)
      break;
  }
  return -1;
}

int main(void) {
  double all = 0;
  int sum = 1;
  for (int i = 0; i < N + 2; i++) {
    a[i] = i % 7;
    c[i] = i * 37 % 255;
  }
  for (int t = 0; t < 60; t++) {
    all += stencil();
    sum = mixed(sum) + find(t);
    // One of them in a loop of `main`, which goes on natively.
    for (int i = 0; i < N; i++)
      for (int k = 0; k < 2; k++)
        a[i] = a[i] * 0.75 + b[i] * k;
  }
  printf("%.9g %d\n", all, sum);
}
