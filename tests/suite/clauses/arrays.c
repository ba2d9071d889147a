/* Arrays behind pointers of which a loop reduces elements: what the source says of their length. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 4000
#define KINDS 64

static int key[N], *kept;
static double weight[N];

static void fill(void) {
  for (int i = 0; i < N; i++) {
    key[i] = i * 53 % 61;
    weight[i] = (i % 8) * 0.25;
  }
}

static void print(const int *h, int n) {
  long sum = 0;
  for (int k = 0; k < n; k++)
    sum = sum * 31 % 100003 + h[k];
  printf("%ld\n", sum);
}

static void clear(int *h, int n) {
  for (int k = 0; k < n; k++)
    h[k] = 0;
}

static void keep(int *h) { kept = h; }

/* A constant number: a section of that length. */
static void constant(void) {
  int *h = calloc(KINDS, sizeof *h);
  // clauses: reduction(+:h[:64])
  for (int i = 0; i < N; i++)
    h[key[i]]++;
  print(h, KINDS);
  free(h);
  unsigned *bits = malloc(KINDS * sizeof(unsigned));
  memset(bits, 0, KINDS * sizeof *bits);
  // clauses: reduction(^:bits[:64])
  for (int i = 0; i < N; i++)
    bits[key[i] & 15] ^= 1u << (key[i] & 7);
  print((int *)bits, KINDS);
  free(bits);
}

/* A number in a variable: any, so that threads cannot have copies on their stacks. */
static void variable(int n) {
  int *h = calloc(n, sizeof *h);
  // clauses: patch
  for (int i = 0; i < N; i++)
    h[key[i]] += 1 + i % 3;
  print(h, n);
  free(h);
}

static void one_more(int last) {
  double *sums = malloc((last + 1) * sizeof *sums);
  for (int k = 0; k <= last; k++)
    sums[k] = 1;
  // clauses: patch -- two updates
  for (int i = 0; i < N; i++) {
    if (key[i] < 40)
      sums[key[i]] += weight[i];
    sums[last] -= weight[i];
  }
  printf("%g %g\n", sums[3], sums[last]);
  free(sums);
}

/* In a function that clears it; in each round anew. */
static void rounds(int n) {
  for (int r = 1; r < 4; r++) {
    int m = n + r, *h = (int *)malloc(sizeof(int) * m);
    clear(h, m);
    int s = 0;
    // clauses: patch
    for (int i = 0; i < N; i++) {
      h[key[i]] |= r << i % 3;
      s += i;
    }
    print(h, n);
    printf("%d\n", s);
    free(h);
  }
}

/* What else is done leaves open what is there, or how much. */
static void otherwise(int n) {
  int *h = calloc(n, sizeof *h), *other = h, *moved = calloc(n, sizeof *moved), *given = calloc(n, sizeof *given);
  int *least = calloc(n, sizeof *least), *plain = calloc(n, sizeof *plain), *whole = calloc(1, n * sizeof *whole);
  keep(given);
  // clauses: words -- it has two names
  for (int i = 0; i < N; i++)
    h[key[i]]++;
  print(other, n);
  moved++;
  // clauses: words -- it leads elsewhere
  for (int i = 0; i < N; i++)
    moved[key[i]]++;
  moved--;
  print(moved, n);
  // clauses: words -- another function keeps it
  for (int i = 0; i < N; i++)
    given[key[i]]++;
  print(kept, n);
  // clauses: words -- a minimum
  for (int i = 0; i < N; i++)
    if (key[i] - 90 < least[key[i] & 7])
      least[key[i] & 7] = key[i] - 90;
  print(least, n);
  // clauses: words -- elements are set as well
  for (int i = 0; i < N; i++) {
    plain[key[i]]++;
    if (key[i] == 7)
      plain[8] = 3;
  }
  print(plain, n);
  // clauses: words -- one element of n ints
  for (int i = 0; i < N; i++)
    whole[key[i]]++;
  print(whole, n);
  free(h), free(moved), free(given), free(least), free(plain), free(whole);
}

static void changed(int n) {
  int *h = calloc(n, sizeof *h);
  n = 70;
  // clauses: words -- another number than then
  for (int i = 0; i < N; i++)
    h[key[i]]++;
  print(h, n);
  free(h);
}

static void grown(int n) {
  int *h = calloc(n, sizeof *h);
  h = realloc(h, 2 * n * sizeof *h);
  // clauses: words
  for (int i = 0; i < N; i++)
    h[key[i]]++;
  print(h, 60);
  free(h);
}

static void hidden(int n) {
  int *h = calloc(n, sizeof *h);
  {
    int n = 3;
    // clauses: words -- another variable of that name
    for (int i = 0; i < N; i++)
      h[key[i]] += n;
  }
  print(h, n);
  free(h);
}

static void out_of_scope(void) {
  int *h;
  {
    int n = key[5] + 90;
    h = calloc(n, sizeof *h);
  }
  // clauses: words -- the number has no name there
  for (int i = 0; i < N; i++)
    h[key[i]]++;
  print(h, 90);
  free(h);
}

int main(int argc, char **argv) {
  fill();
  constant();
  variable(100);
  one_more(80);
  rounds(70);
  otherwise(90);
  changed(80 + argc);
  grown(64);
  hidden(64);
  out_of_scope();
  return argv[0] ? 0 : argc;
}
