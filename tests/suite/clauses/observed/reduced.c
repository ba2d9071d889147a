/* Numbers and members of structures that the loop reaches through pointers or as globals, and reduces. */
#include <stdio.h>
#include <stdlib.h>

#define N 3000

struct statistics {
  double sum, largest, scale;
  long count;
  int first;
};

double total;
struct statistics all;
static struct statistics *current;

static void statistics(struct statistics *s, const double *a, int n) {
  int i;
  // clauses: patch
  for (i = 0; i < n; i++) {
    s->sum += a[i] * s->scale;
    s->count++;
    if (a[i] > s->largest)
      s->largest = a[i];
  }
}

static void sum(double *result, const double *a, int n) {
  int i;
  // clauses: reduction(+:result[:1])
  for (i = 0; i < n; i++)
    *result += a[i];
}

static void count(int *const hits, long *restrict odd, const double *a, int n) {
  int i;
  // clauses: reduction(+:hits[:1],odd[:1])
  for (i = 0; i < n; i++) {
    *hits += a[i] > 0.5;
    *odd += (int)(a[i] * 100) % 2;
  }
}

static void nowhere(int *hits, int *most, const double *a, int n) {
  int i;
  // clauses: words -- where nothing is counted the pointer may lead nowhere
  for (i = 0; i < n; i++)
    if (a[i] > 0.5)
      ++*hits;
  // clauses: words -- the loop may compare integers as others than they are declared
  for (i = 0; i < n; i++)
    if ((int)a[i] > *most)
      *most = (int)a[i];
}

static void largest(double *m, const double *a, int n) {
  int i;
  // clauses: reduction(max:m[:1])
  for (i = 0; i < n; i++)
    *m = a[i] > *m ? a[i] : *m;
}

static void globals(const double *a, int n) {
  int i;
  // clauses: reduction(+:total)
  for (i = 0; i < n; i++)
    total += a[i];
  // clauses: patch
  for (i = 0; i < n; i++) {
    all.sum += a[i];
    all.count += i % 3;
  }
  // clauses: patch
  for (i = 0; i < n; i++) {
    current->sum += a[i];
    current->count += i % 5;
  }
}

static void written(struct statistics *s, double *a, int n) {
  int i;
  // clauses: words -- what is written may be the factor
  for (i = 0; i < n; i++) {
    s->count += a[i] * s->scale > 1;
    a[i] = i;
  }
}

static int kept(struct statistics *s, struct statistics **keep, const double *a, int n) {
  int i;
  // clauses: words -- the pointer is kept
  for (i = 0; i < n; i++) {
    s->count += a[i] > 1;
    keep[i] = s;
  }
  return keep[n / 2] == s;
}

static void several(struct statistics *s, const double *a, int n) {
  int i;
  // clauses: words -- of several structures
  for (i = 0; i < n; i++)
    s[i % 2].sum += a[i];
}

static void elsewhere(struct statistics *s, const double *a, int n) {
  struct statistics *const t = s;
  int i;
  // clauses: words -- what is summed is looked at under another name
  for (i = 0; i < n; i++) {
    s->count += a[i] > 1;
    if (a[i] > 1e9)
      printf("%ld\n", t->count);
  }
}

static void rarely(double *result, const double *a, const double *other, double *out, int n) {
  int i;
  // clauses: unchecked reduction(+:result[:1]) -- what did not run may read the sum
  for (i = 0; i < n; i++) {
    *result += a[i];
    if (a[i] > 1e9)
      out[i] = *other;
  }
}

static void member(struct statistics *s, const double *a, int n) {
  double *inner = &s->sum;
  int i;
  // clauses: words -- what did not run may add to the same
  for (i = 0; i < n; i++) {
    s->sum += a[i];
    if (a[i] > 1e9)
      *inner += 1;
  }
}

static int scan(const char *text) {
  int hits = 0, i;
  double x = 0;
  sscanf(text, "%d %lf", &hits, &x);
  // clauses: reduction(+:hits)
  for (i = 0; i < N; i++)
    hits += i % 7 == 0;
  return hits + (int)x;
}

int main(void) {
  double *a = malloc(N * sizeof *a);
  struct statistics s = {0, -1, 0.25, 0, 0}, two[2] = {{0}};
  struct statistics **keep = malloc(N * sizeof *keep);
  double result = 1, most = 0;
  int hits = 0, top = 0, i;
  long odd = 0;
  for (i = 0; i < N; i++)
    a[i] = i * 37 % 101 / 64.0;
  current = calloc(1, sizeof *current);
  statistics(&s, a, N);
  sum(&result, a, N);
  count(&hits, &odd, a, N);
  nowhere(&hits, &top, a, N);
  largest(&most, a, N);
  globals(a, N);
  several(two, a, N);
  rarely(&result, a, &total, a, N);
  member(&s, a, N);
  elsewhere(&s, a, N);
  printf("%d %d\n", kept(&s, keep, a, N), scan("5 2.5"));
  written(&s, a, N);
  printf("%g %g %ld %g %d %ld %g %d\n", s.sum, s.largest, s.count, result, hits, odd, most, top);
  printf("%g %g %ld %g %ld %g %g\n", total, all.sum, all.count, current->sum, current->count, two[0].sum, two[1].sum);
  return 0;
}
