// Global arrays as scratch space: what a run shows where the source does not prove that iterations fill them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#define N 200
#define M 40

static double tmp[M], full[M], shared[M], later[M], carried[M], marks[M], counted[M];
double seen[M];
static double out[N];
static int order[M];

static double twice(double x) { return 2 * x; }
static double read_shared(int k) { return shared[k]; }
static double read_later(void) { return later[3]; }
static double read_counted(void) { return counted[3]; }

static void some(int n) {
  // clauses: firstprivate(tmp) lastprivate(tmp) -- as many elements as `n` says
  for (int i = 0; i < N; i++) {
    double s = 0;
    for (int k = 0; k < n; k++)
      tmp[k] = i * 0.5 + k;
    for (int k = 0; k < n; k++)
      s += tmp[k] * tmp[n - 1 - k];
    out[i] = s;
  }
}

static void by_helper(void) {
  // clauses: private(full) -- called functions do not know it
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < M; k++)
      full[k] = twice(i + k);
    out[i] += full[i % M];
  }
}

static void exported(int n) {
  // clauses: firstprivate(seen) lastprivate(seen)
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < n; k++)
      seen[order[k]] = i + sqrt(k);
    out[i] += seen[order[i % n]];
  }
}

static void a_function_reads_it(int n) {
  // clauses: words -- `read_shared` reads the global
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < n; k++)
      shared[k] = i + k;
    out[i] += read_shared(i % n) + shared[0];
  }
}

static void read_in_this_run(int n) {
  // clauses: words -- `read_later` gets what the loop left
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < n; k++)
      later[k] = i + k;
    out[i] += later[i % n];
  }
}

static void handed_on(int n) {
  // clauses: words -- an element of the iteration before is read
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < n; k++)
      if (k != i % 7)
        carried[k] = i + k;
    out[i] += carried[3];
  }
}

static void in_parts(int n) {
  // clauses: firstprivate(marks) lastprivate(marks) -- what was there before the loop is read
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < n; k++)
      marks[k] = i + k;
    out[i] += marks[i % n] + marks[M - 1];
  }
}

static void not_read_in_this_run(int n) {
  // clauses: firstprivate(counted) lastprivate(counted) -- with another input `read_counted` is right as well
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < n; k++)
      counted[k] = i * k;
    out[i] += counted[i % n];
  }
  if (out[3] < 0)
    printf("%g\n", read_counted());
}

int main(void) {
  double s = 0;
  for (int k = 0; k < M; k++)
    order[k] = (k * 7) % M;
  marks[M - 1] = 5;
  some(30);
  by_helper();
  exported(M);
  a_function_reads_it(30);
  read_in_this_run(30);
  s += read_later();
  handed_on(30);
  in_parts(30);
  not_read_in_this_run(30);
  for (int i = 0; i < N; i++)
    s = s * 0.75 + out[i];
  printf("%.6g\n", s);
  return 0;
}
