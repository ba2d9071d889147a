// Elements that several iterations have, since a constant divides their index or cuts it off: in this run no two iterations met in one, with
// other inputs they do.
#include <stdio.h>
#include <stdlib.h>
enum { N = 4000, RARE = 96, BITS = 8 };
struct map {
  unsigned long *words;
  int n;
};
static int a[N], ring[64], grid[100][40], row[N / BITS * 4];
static unsigned char bits[N / BITS], pairs[N];

__attribute__((noinline)) static void set(struct map *m) {
  // clauses: words -- the length of what a member leads to is not known
  for (int i = 0; i < N; i++)
    if (a[i] >= RARE)
      m->words[i >> 6] |= 1ul << (i & 63);
}

__attribute__((noinline)) static void updates(void) {
  // clauses: reduction(|:bits)
  for (int q = 0; q < N; q++)
    if (a[q] >= RARE)
      bits[q >> 3] |= 1 << (q & 7);
  // clauses: reduction(^:bits) -- through a variable of the iteration
  for (int q = 0; q < N; q++)
    if (a[q] >= RARE) {
      int byte = q / BITS;
      bits[byte] ^= 1 << (q & 7);
    }
  // clauses: reduction(+:ring) -- the upper part of the index is cut off
  for (int q = 0; q < N; q++)
    if (a[q] == RARE + 1 || q == 1 || q == 2)
      ring[q & 63] += a[q];
}

__attribute__((noinline)) static void writes(int y) {
  // clauses: words -- two iterations have one element
  for (int q = 0; q < N; q++)
    if (a[q] >= RARE)
      pairs[q / 2] = q;
  // clauses: words -- one that is added to after the division
  for (int q = 0; q < N; q++)
    if (a[q] >= RARE)
      row[y * (N / BITS) + (q >> 3)] = q;
  // clauses: words -- the numbers of iterations wrap around
  for (int q = 0; q < N; q++)
    if (q == a[3] || q == a[4])
      ring[q % 64] = q;
  // clauses: words -- a byte of the index
  for (int q = 0; q < N; q++)
    if (q == a[3] || q == a[4])
      ring[(unsigned char)q >> 2] = q;
  // clauses: words -- they did meet
  for (int q = 0; q < N; q++)
    ring[q % 64] = q;
}

__attribute__((noinline)) static void apart(void) {
  // clauses: none -- steps as large as what divides
  for (int q = 0; q < N; q += BITS)
    pairs[q / BITS] = a[q];
  // clauses: none -- as many iterations as elements
  for (int q = 0; q < 64; q++)
    ring[q & 63] = a[q];
  // clauses: none -- row and column
  for (int q = 0; q < N; q++)
    grid[q / 40][q % 40] = a[q];
  // clauses: none -- reads alone
  for (int q = 0; q < N; q++)
    pairs[q] = bits[q >> 3] >> (q & 7) & 1;
}

int main(void) {
  struct map m = {calloc(N / 64 + 1, sizeof(long)), N};
  for (int q = 0; q < N; q++)
    a[q] = q * 31 % 97;
  set(&m);
  updates();
  writes(2);
  unsigned long h = 0;
  for (int q = 0; q < N; q++)
    h = h * 31 + pairs[q] + ring[q % 64] + row[q % (N / BITS)] + m.words[q / 64];
  apart();
  for (int q = 0; q < N; q++)
    h = h * 31 + pairs[q] + ring[q % 64] + grid[q / 40][q % 40] + bits[q / 8];
  printf("%lu\n", h);
  return 0;
}
