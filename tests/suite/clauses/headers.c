// Headers: what every thread evaluates of them, bounds with conditions, literals, labels of the loop's own, what stands above.
#include <stdio.h>

#define N 2000
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define TIMED(name, code) { code }
#define UNROLL _Pragma("unroll 4")

int a[N + 1], w[N], k[N], h[16], row[N + 1], first = 3, held = 40;
double val[4 * N], y[N];
struct range {
  int from, to;
} part = {5, N};

__attribute__((noinline)) static int lower(int x) {
  int j = 0;
  while (j < N && k[j] < x)
    j++;
  return j;
}

__attribute__((noinline)) static void starts(int n) {
  int i, j = 7, m = 9, t = 30, c = 3;
  struct range own = {5, 1};
  // clauses: words -- j is private, and the start reads it
  for (i = j; i < n; i++)
    for (j = 0; j < 3; j++)
      w[i] += j;
  // clauses: words -- m is reduced
  for (i = m; i < n; i++)
    m += k[i] & 1;
  // clauses: words -- t is private
  for (i = t + 1; i < n; i++) {
    t = k[i];
    w[i] += t;
  }
  // clauses: words -- held is lastprivate
  for (i = held; i < n; i++) {
    held = k[i];
    w[i] += held;
  }
  // clauses: words -- a member of own
  for (i = own.from; i < n; i++) {
    own.from = k[i];
    w[i] += own.from;
  }
  // clauses: words -- an element of what is reduced
  for (i = h[3]; i < n; i++)
    h[k[i] & 15]++;
  // clauses: words -- every thread would add to c
  for (i = c++; i < n; i++)
    w[i] += 1;
  // clauses: words -- an element of what the loop writes
  for (i = a[7]; i < n; i++)
    a[i] = i;
  // clauses: words -- a function that could do anything
  for (i = lower(0); i < n; i++)
    w[i] += 2;
  w[0] += c + m;
}

__attribute__((noinline)) static void computed(int n, int m) {
  int i, j, last = 2;
  // clauses: none
  for (i = first; i < n; i++)
    w[i] += i;
  // clauses: none
  for (i = part.from; i < part.to; i++)
    w[i] += i;
  // clauses: private(j) -- sparse matrix
  for (i = 0; i < n; i++)
    for (j = row[i]; j < row[i + 1]; j++)
      y[i] += val[j];
  for (i = 0; i < 4; i++)
    // clauses: none
    for (j = row[i]; j < row[i + 400]; j++)
      val[j] += i;
  // clauses: unchecked -- through p, which starts in an array and may leave it
  for (int *p = a + last; p < a + n; p++)
    *p += 1;
  // clauses: none
  for (i = 0; i < MIN(n, m); i++)
    w[i] += a[i];
  // clauses: none
  for (i = 0; i < (n < m ? n : m); i++)
    w[i] += 3;
  // clauses: words -- blocks, of which the text does not tell that they are apart
  for (j = 0; j < n; j += 64)
    for (i = j; i < MIN(j + 64, n); i++)
      w[i] += j;
  // clauses: words -- the bound changes
  for (i = 0; i < MIN(n, m); i++) {
    m = n;
    w[i] += 1;
  }
  // clauses: none
  for (i = n; i != 0; i--)
    w[i - 1] += i;
  // clauses: none
  for (unsigned u = n; 0 != u; --u)
    w[u - 1] += u;
  // clauses: none
  for (i = 'a'; i <= 'z'; i++)
    w[i] += i;
  // clauses: none
  for (i = 0; i < (int)sizeof(";)"); i++)
    w[i] += i;
  // clauses: private(j)
  for (i = 0; i < n; i++) {
    for (j = 0; j < 20; j++)
      if (k[(i + j) % N] % 7 == 0)
        goto next;
    w[i] += 100;
  next:;
  }
}

__attribute__((noinline)) static void above(int n) {
  int i;
#ifdef _OPENMP
#pragma omp parallel for
#endif
  // clauses: words -- it has one
  for (i = 0; i < n; i++)
    w[i] += 1;
#ifdef NEVER
#pragma clang loop unroll(enable)
  first = 0;
#endif
  // clauses: none
  for (i = 0; i < n; i++)
    w[i] += 2;
  UNROLL
  // clauses: unchecked
  for (i = 0; i < n; i++)
    w[i] += 3;
  __attribute__((opencl_unroll_hint(2)))
  // clauses: unchecked
  for (i = 0; i < n; i++)
    w[i] += 4;
  // clang-format off
  TIMED("add",
    // clauses: words
    for (i = 0; i < n; i++)
      w[i] += 5;
  )
  (void)0; \
  for (i = 0; i < n; i++) // no directive can stand above it
    w[i] += 6;
  // clang-format on
}

int main(void) {
  long s = 0;
  double d = 0;
  for (int i = 0; i < N; i++) {
    k[i] = i * 7919 % N;
    row[i] = 4 * i;
  }
  row[N] = 4 * N;
  h[3] = 77;
  a[7] = 7;
  starts(N);
  computed(N, N - 10);
  above(N);
  for (int i = 0; i < N; i++) {
    s += (long)(w[i] + a[i] + h[i & 15]) * (i % 7);
    d += y[i] + val[i];
  }
  printf("%ld %g\n", s, d);
  return 0;
}
