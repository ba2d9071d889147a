/* Sums of members that have no name of their own in the structure, or no place of their own. */
#include <stdio.h>
#define N 2000
struct first {
  union {
    double d;
    long n;
  };
  int m;
};
struct only {
  struct {
    double sum;
  };
};
struct bits {
  unsigned low : 5, high : 27;
};
double x[N];
static void through(struct first *f, struct only *o, struct bits *b) {
  int i;
  for (i = 0; i < N; i++) {
    f->d += x[i];
  }
  for (i = 0; i < N; i++) {
    o->sum += x[i];
  }
  for (i = 0; i < N; i++) {
    b->high ^= i;
  }
}
int main(void) {
  int i;
  struct first f = {{0}, 0}, g = {{0}, 0};
  struct only o = {{0}}, p = {{0}};
  struct bits b = {0, 0}, c = {0, 0};
  for (i = 0; i < N; i++)
    x[i] = i % 7;
  through(&f, &o, &b);
  for (i = 0; i < N; i++) {
    g.d += x[i];
  }
  for (i = 0; i < N; i++) {
    p.sum += x[i];
  }
  for (i = 0; i < N; i++) {
    c.low ^= i;
  }
  printf("%g %g %u %g %g %u\n", f.d, o.sum, b.high, g.d, p.sum, c.low);
  return 0;
}
