// Arrays that each iteration fills as a whole before it reads them: private, where the source shows that.
#include <math.h>
#include <stdio.h>

#define N 300
#define M 64

static double tmp[M], other[M], grid[8][8], shared[M], kept[M], lent[M], part[M], again[M], called[M];
double seen[M];
static double large[20000];
static double out[N];
static double *way = lent;

static double read_shared(int k) { return shared[k]; }
static double twice(double x) { return 2 * x; }
double last(void) { return kept[3]; }

static void global(void) {
  // clauses: private(tmp)
  for (int i = 0; i < N; i++) {
    double s = 0;
    for (int k = 0; k < M; k++)
      tmp[k] = i * 0.5 + k;
    for (int k = 0; k < M; k++)
      s += tmp[k] * tmp[M - 1 - k];
    out[i] = s;
  }
}

static void local(int n) {
  double own[M];
  // clauses: private(own)
  for (int i = 0; i < N; i++) {
    double s = 0;
    for (int k = 0; k < M; k++)
      own[k] = i * 0.25 + k;
    for (int k = 0; k < n; k++)
      s += own[k % M];
    out[i] += s;
  }
}

static void two_dimensions(void) {
  // clauses: private(grid)
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < 8; j++)
      for (int k = 0; k <= 7; k++)
        grid[j][k] = i + j * k;
    out[i] += grid[i % 8][3];
  }
}

static void another_reads_it(void) {
  // clauses: lastprivate(kept) -- `last` reads what the last iteration left
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < M; k++)
      kept[k] = i + k;
    out[i] += kept[i % M];
  }
}

static void exported(void) {
  // clauses: lastprivate(seen) -- other files may read it
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < M; k++)
      seen[k] = i - k;
    out[i] += sqrt(fabs(seen[i % M]));
  }
}

static double local_read_later(void) {
  double own[M];
  // clauses: lastprivate(own)
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < M; k++)
      own[k] = i * k;
    out[i] += own[i % M];
  }
  return own[5];
}

static void a_function_reads_it(void) {
  // clauses: words -- `read_shared` reads the global, not the copy
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < M; k++)
      shared[k] = i + k;
    out[i] += read_shared(i % M) + shared[0];
  }
}

static void a_pointer_leads_there(void) {
  // clauses: unchecked lastprivate(lent) -- `way` is the global, not the copy
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < M; k++)
      lent[k] = i + k;
    out[i] += way[i % M] + lent[0];
  }
}

static void not_all(void) {
  // clauses: words -- an element stays as an earlier iteration left it
  for (int i = 0; i < N; i++) {
    for (int k = 1; k < M; k++)
      part[k] = i + k;
    out[i] += part[i % M];
    part[0] = i;
  }
}

static void not_always(void) {
  // clauses: words
  for (int i = 0; i < N; i++) {
    if (i % 3 != 1)
      for (int k = 0; k < M; k++)
        again[k] = i + k;
    out[i] += again[i % M];
  }
}

static void skipped_elements(int n) {
  double own[M];
  for (int k = 0; k < M; k++)
    own[k] = k;
  // clauses: unchecked private(own)
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < M; k++) {
      if (k == n)
        continue;
      own[k] = i + k;
    }
    out[i] += own[i % M];
  }
}

static void left_early(int n) {
  double own[M];
  for (int k = 0; k < M; k++)
    own[k] = k;
  // clauses: unchecked private(own)
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < M; k++) {
      if (k == n)
        break;
      own[k] = i + k;
    }
    out[i] += own[i % M];
  }
}

static void read_before(void) {
  // clauses: words -- the first loop reads what the iteration before left
  for (int i = 0; i < N; i++) {
    double s = 0;
    for (int k = 0; k < M; k++)
      s += other[k];
    for (int k = 0; k < M; k++)
      other[k] = i + k;
    out[i] += s;
  }
}

static void read_and_written(void) {
  // clauses: words -- of each element the old value is read
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < M; k++)
      other[k] = other[k] * 0.5 + i;
    out[i] += other[i % M];
  }
}

static void too_large(void) {
  // clauses: words -- 160,000 bytes of each thread's stack
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < 20000; k++)
      large[k] = i + k;
    out[i] += large[i];
  }
}

static void with_a_call(void) {
  // clauses: unchecked private(called) -- `twice` may do anything
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < M; k++)
      called[k] = twice(i + k);
    out[i] += called[i % M];
  }
}

int main(void) {
  double s = 0;
  global();
  local(M);
  two_dimensions();
  another_reads_it();
  exported();
  s += local_read_later() + last();
  a_function_reads_it();
  a_pointer_leads_there();
  not_all();
  not_always();
  skipped_elements(5);
  left_early(60);
  read_before();
  read_and_written();
  too_large();
  with_a_call();
  for (int i = 0; i < N; i++)
    s = s * 0.75 + out[i];
  printf("%.6g %g\n", s, seen[7]);
  return 0;
}
