// levels: O0 O1 O3
// What is carried, or not, by functions that loops call: statics, pointers, recursion, the C library.
#include "show.h"
#include <stdlib.h>
#include <string.h>
enum { N = 64 };
static int v[N], out[N], shared, rows[N][8], known[N], depth[N];
static char text[400], names[N][16], first[N];
static int *cells[N];

static int ticket(void) {
  static int n;
  n = (n * 5 + 1) % 1009;
  return n;
}

static int delayed(int x) {
  static int before;
  int r = before;
  before = x;
  return r;
}

static int scratch(int x) {
  static int buffer[8];
  int s = 0;
  for (int j = 0; j < 8; j++)
    buffer[j] = x * j % 7;
  for (int j = 0; j < 8; j++)
    s += buffer[7 - j] * j;
  return s;
}

static void put(int *to, int x) { *to = x; }
static int get(const int *from) { return *from; }

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static int fib_known(int n) {
  if (n < 2)
    return n;
  if (!known[n])
    known[n] = fib_known(n - 1) + fib_known(n - 2);
  return known[n];
}

static int fill(int *a, int n, int x) {
  if (n == 1) {
    a[0] = x;
    return x;
  }
  return fill(a, n / 2, x + 1) + fill(a + n / 2, n - n / 2, x + 2);
}

static void counter(void) {
  // expect: CARRIED
  // carried: n -45->-45 distance 1
  for (int i = 0; i < N; i++)
    out[i] = ticket();
}

static void handed_on(void) {
  // expect: CARRIED
  // carried: before -45->-46 distance 1
  for (int i = 0; i < N; i++)
    out[i] += delayed(v[i]);
}

static void buffered(void) {
  // expect: DOALL
  // clauses: words -- the buffer is static in the callee, where no clause reaches it
  // proposal: -- what scratch writes has to be looked at
  // the buffer is filled anew in every call: nothing is read that another iteration wrote
  for (int i = 0; i < N; i++)
    out[i] ^= scratch(v[i]);
}

static void put_then_get(void) {
  // expect: DOALL
  // clauses: private(shared)
  // proposal: -- what put and get write has to be looked at
  for (int i = 0; i < N; i++) {
    put(&shared, v[i] * 2);
    out[i] += get(&shared);
  }
}

static void get_then_put(void) {
  shared = 1;
  // expect: CARRIED
  // carried: *from -59->-58 distance 1
  // (from and to point to shared)
  for (int i = 0; i < N; i++) {
    out[i] += get(&shared);
    put(&shared, v[i] * 2);
  }
}

static void through_address(int (*step)(int)) {
  // expect: CARRIED
  // carried: before -82->-83 distance 1
  for (int i = 0; i < N; i++)
    out[i] += step(i);
}

static void recursive(void) {
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++)
    depth[i] = fib(i % 9);
}

static void recursive_known(void) {
  // expect: CARRIED
  // carried: known[] -74->-75 distance 1..2
  // carried: known[] -74->-73 distance 1..2
  for (int i = 0; i < 40; i++)
    depth[i] += fib_known(i);
}

static void recursive_rows(void) {
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++)
    out[i] += fill(rows[i], 8, i);
}

static void random_numbers(void) {
  // expect: CARRIED
  // carried: rand() +1->+1 distance 1
  // rand() keeps a state
  for (int i = 0; i < N; i++)
    out[i] += rand() & 15;
}

static void tokens(void) {
  // expect: CARRIED
  // carried: strtok() +1->+1 distance 1
  // strtok() keeps a position and cuts the text
  for (int i = 0; i < N; i++) {
    char *word = strtok(i ? NULL : text, " ");
    first[i] = word ? word[0] : '-';
  }
}

static void printed_names(void) {
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++) {
    snprintf(names[i], sizeof names[i], "n%d", v[i]);
    out[i] += (int)strlen(names[i]);
  }
}

static void copied_names(void) {
  // expect: CARRIED
  // carried: names +1->+1 distance 1
  for (int i = 1; i < N; i++)
    strcpy(names[i], names[i - 1]);
}

static void allocated(void) {
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++) {
    cells[i] = malloc(sizeof(int));
    *cells[i] = v[i];
  }
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++) {
    out[i] += *cells[i];
    free(cells[i]);
  }
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void sorted_rows(void) {
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++)
    qsort(rows[i], 8, sizeof(int), compare);
}

// What the function that is called back counts is handed on.
static int compared;
static int counting(const void *a, const void *b) {
  compared++;
  return compare(a, b);
}

static void sorted_and_counted(void) {
  // expect: CARRIED
  // carried: compared -7->-7 distance 1
  for (int i = 0; i < N; i++)
    qsort(rows[i], 8, sizeof(int), counting);
}

static void sorted_again(void) {
  // expect: CARRIED
  // carried: rows +1->+1 distance 1
  // carried: *a +1->-28 distance 1
  // carried: *b +1->-28 distance 1
  for (int i = 0; i < N; i++)
    qsort(rows[0], 8, sizeof(int), compare);
}

int main(void) {
  for (int i = 0; i < N; i++)
    v[i] = i * 7 % 23;
  for (int i = 0; i < 199; i++)
    text[i] = i % 3 == 2 ? ' ' : 'a' + i % 26;
  counter();
  handed_on();
  buffered();
  put_then_get();
  get_then_put();
  through_address(delayed);
  recursive();
  recursive_known();
  recursive_rows();
  random_numbers();
  tokens();
  printed_names();
  copied_names();
  allocated();
  sorted_rows();
  sorted_and_counted();
  sorted_again();
  SHOW(out), SHOW(depth), SHOW(rows), SHOW(first), SHOW(names);
  return 0;
}
