/* Reductions of what no clause can name by itself: members of structures, and the index of a loop that is used behind it. */
#include <stdio.h>
#include <string.h>

#define N 3000

struct pair {
  double x, y;
};

struct statistics {
  double sum, largest, scale;
  long count;
  unsigned bits;
  int product, found;
  struct pair centre;
  int kinds[4];
};

static double a[N];
static int key[N];

static void fill(void) {
  int i;
  for (i = 0; i < N; i++) {
    a[i] = (i * 37 % 11) * 0.5 - 2;
    key[i] = i * 53 % 17;
  }
}

static int behind(int from, int to) {
  int i;
  // clauses: patch -- once without iterations
  for (i = from + 1; i < to; i++)
    key[i] += a[i] > 3;
  return i;
}

int main(void) {
  int i, k;
  fill();
  printf("%d %d\n", behind(-1, N), behind(N + 6, N));

  struct statistics s = {0, -100, 0.5, 0, ~0u, 1, 0, {0, 0}, {0}};
  // clauses: patch
  for (i = 0; i < N; i++) {
    s.sum += a[i];
    s.count++;
    s.bits &= ~(unsigned)key[i] | 8;
    if (a[i] > s.largest)
      s.largest = a[i];
    if (key[i] == 15 && i > 2990)
      s.found = 1;
    s.centre.x -= a[i] * 2;
    s.kinds[2] += key[i] < 3;
  }
  printf("%g %ld %x %g %d %g %d\n", s.sum, s.count, s.bits, s.largest, s.found, s.centre.x, s.kinds[2]);

  // clauses: patch -- a member is only read
  for (i = 0; i < N; i++)
    s.sum += a[i] * s.scale;
  printf("%g\n", s.sum);

  struct statistics begun;
  memset(&begun, 0, sizeof begun);
  begun.product = 1;
  // clauses: patch
  for (i = 1; i < 6; i++) {
    begun.product *= i;
    begun.centre.y += i;
  }
  printf("%d %g\n", begun.product, begun.centre.y);

  struct statistics read = {0};
  // clauses: words -- what is summed is looked at
  for (i = 0; i < N; i++) {
    read.sum += key[i];
    if (i == N / 2)
      printf("%g\n", read.sum);
  }
  printf("%g\n", read.sum);

  struct statistics whole = {0}, last = {0};
  // clauses: words -- all of it is taken
  for (i = 0; i < N; i++) {
    whole.sum += key[i];
    if (i == N - 1)
      last = whole;
  }
  printf("%g %g\n", whole.sum, last.sum);

  struct statistics two = {0};
  // clauses: words -- two operators
  for (i = 0; i < 50; i++) {
    two.product += key[i];
    two.product |= 3;
  }
  printf("%d\n", two.product);

  double best = a[0], total = 0;
  int at = 0;
  struct statistics beside = {0};
  // clauses: patch -- with a position beside it, and a clause
  for (i = 1; i < N; i++) {
    total += key[i];
    beside.count += key[i];
    if (a[i] > best) {
      best = a[i];
      at = i;
    }
  }
  printf("%g %d %ld %g\n", best, at, beside.count, total);

  // clauses: patch -- the index is used behind the loop
  for (i = 0; i < N; i++)
    a[i] += 1;
  printf("%d\n", i);

  // clauses: patch -- in steps, down
  for (i = N - 1; i >= 0; i -= 7)
    a[i] -= 2;
  printf("%d %g\n", i, a[N - 1]);

  // clauses: patch -- with others
  for (i = key[3]; i < N; i++) {
    k = key[i] % 5;
    s.count += k;
  }
  printf("%d %ld\n", i, s.count);

  double *p;
  // clauses: unchecked lastprivate(p) -- of what a pointer leads to a run has to show
  for (p = a; p < a + N; p++)
    *p += 3;
  printf("%td %g\n", p - a, a[5]);
  return 0;
}
