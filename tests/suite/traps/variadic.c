// levels: O0 O1 O3
// Variadic functions, indirect calls, struct arguments and results, many arguments.
#include <stdarg.h>
enum { N = 32 };
static int a[N], b[N];
struct pair { long x, y; };
struct large { long v[8]; };

static int sum(int n, ...) {
  va_list list;
  int s = 0;
  va_start(list, n);
  for (int i = 0; i < n; i++)
    s += va_arg(list, int);
  va_end(list);
  return s;
}

static void variadic(void) {
  // expect: DOALL sp=32
  for (int i = 0; i < N; i++)
    b[i] = sum(3, a[i], 1, i);
}

static void indirect(int (**f)(int, ...)) {
  // expect: DOALL sp=32
  for (int i = 0; i < N; i++)
    b[i] = f[i](2, a[i], i);
}

static struct pair swap(struct pair p) { return (struct pair){p.y, p.x}; }

static struct pair swaps(struct pair p) {
  // expect: SERIAL
  // the result is the next argument; in registers it costs nothing, so multiply 3 per iteration
  for (int i = 0; i < N; i++) {
    p = swap(p);
    p.x = p.x * 3;
    p.y = p.y * 5;
  }
  return p;
}

static struct large turn(struct large l) {
  l.v[0] = l.v[7] * 3;
  return l;
}

static long by_value(struct large l) {
  // expect: SERIAL
  // passed and returned in memory: the chain runs through the copies
  for (int i = 0; i < N; i++) {
    l = turn(l);
    l.v[7] = l.v[0] + 1;
  }
  return l.v[0];
}

static long many(long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8, long a9, long a10, long a11,
                 long a12, long a13, long a14, long a15, long a16, long a17) {
  return a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12 + a13 + a14 + a15 * a16 + a17;
}

static long many_arguments(void) {
  long s = 0;
  // expect: DOALL_REDUCTION(+:s) sp=32
  for (int i = 0; i < N; i++)
    s += many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, a[i], i);
  return s;
}

int main(void) {
  static int (*table[N])(int, ...);
  for (int i = 0; i < N; i++)
    table[i] = sum;
  variadic();
  indirect(table);
  struct pair p = swaps((struct pair){1, 0});
  return by_value((struct large){{1}}) + many_arguments() + p.x == 0;
}
