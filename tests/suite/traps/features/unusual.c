// Unusual features of C: whatever the figures, the program's behaviour must stay its own.
#include <complex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef float v4 __attribute__((vector_size(16)));
typedef int v8 __attribute__((vector_size(32)));
struct flexible { int n; char text[]; };
struct __attribute__((packed)) odd { char c; long l; short s; __int128 i; };
static _Thread_local int per_thread = 3;
static unsigned __int128 wide = 1;
static long double precise = 1.0L / 3;
__attribute__((weak)) int absent(void);
extern int other_name(int) __attribute__((alias("original")));
int original(int x) { return x * 7; }

static int interpret(const unsigned char *code) {
  static void *const labels[] = {&&add, &&twice, &&loop, &&stop};
  int x = 1, n = 3;
  goto *labels[*code++];
add:
  x += 5;
  goto *labels[*code++];
twice:
  x *= 2;
  goto *labels[*code++];
loop:
  if (--n)
    code -= 2;
  goto *labels[*code++];
stop:
  return x;
}

static int tail(int n, int sum) {
  if (n == 0)
    return sum;
  __attribute__((musttail)) return tail(n - 1, sum + n);
}

static double mean(int n, ...) {
  va_list list, copy;
  double s = 0;
  va_start(list, n);
  va_copy(copy, list);
  for (int i = 0; i < n; i++)
    s += va_arg(list, double);
  s += va_arg(copy, double);
  va_end(copy);
  va_end(list);
  return s / n;
}

// Results that are smaller than a register, of functions whose arguments do not all travel in registers.
__attribute__((noinline)) signed char small(int a, int b, int c, int d, int e, int f, int g, int n) {
  signed char sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      sum += original(a + b * j) - c + d * e - f % (g + i);
  return sum;
}

__attribute__((noinline)) _Bool all_even(int n, ...) {
  va_list list;
  _Bool all = 1;
  va_start(list, n);
  for (int i = 0; i < n; i++)
    for (int j = va_arg(list, int), k = 0; k < 3; k++)
      all &= original(j) % 2 == 0;
  va_end(list);
  return all;
}

static int variable_length(int n) {
  int a[n][n];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = i ^ j;
  int *p = __builtin_alloca((size_t)n * sizeof *p);
  for (int i = 0; i < n; i++)
    p[i] = a[i][n - 1 - i];
  return p[n / 2];
}

static unsigned long assembler(unsigned long x) {
  unsigned long y;
  __asm__ volatile("lea 3(%1, %1), %0" : "=r"(y) : "r"(x) : "memory");
  __asm__ goto("test %0, %0; jz %l1" : : "r"(y) : "cc" : zero);
  return y;
zero:
  return 0;
}

static v4 blend(v4 a, v4 b) { return a * b + (v4){1, 2, 3, 4}; }

static v8 wider(v8 a) {
  a[3] += a[5];
  return __builtin_shufflevector(a, a, 7, 6, 5, 4, 3, 2, 1, 0);
}

static int statement_expressions(int x) {
  return ({
    int s = 0;
    for (int i = 0; i < x; i++)
      s += i;
    s;
  });
}

static int duff(char *to, const char *from, int count) {
  int n = (count + 3) / 4;
  switch (count % 4) {
  case 0:
    do {
      *to++ = *from++;
      __attribute__((fallthrough));
    case 3:
      *to++ = *from++;
      __attribute__((fallthrough));
    case 2:
      *to++ = *from++;
      __attribute__((fallthrough));
    case 1:
      *to++ = *from++;
    } while (--n > 0);
  }
  return count;
}

static int irreducible(int x) {
  int s = 0;
  if (x & 1)
    goto middle;
top:
  s += 3;
middle:
  s += x;
  if (s < 50)
    goto top;
  return s;
}

// Variables of a loop's body that get another variable's value before anything else happens, and that gets a new one:
// what debug information says where the loop begins is of the copies.
struct link {
  struct link *up, *left, *right;
  int balance;
};
__attribute__((noinline)) static void climb(struct link *node, int by, struct link *parent) {
  for (;;) {
    struct link *child = node;
    node = parent;
    int change = child == node->right ? by : -by;
    node->balance += change;
    by = node->balance == 0 ? 0 : 1;
    parent = node->up;
    if (!by || !parent)
      return;
  }
}
__attribute__((noinline)) static int last_but_one(int n, const int *a) {
  int before, sum = 0, i = 0;
  do {
    int old = before;
    before = i;
    if (i && a[i] > 1)
      sum += old;
  } while (++i < n);
  return sum;
}
__attribute__((noinline)) static long double last_but_one_of(int n, const long double *a) {
  long double before, sum = 0;
  int i = 0;
  do {
    long double old = before;
    before = 1.5L;
    if (i && a[i] > 1)
      sum += old;
  } while (++i < n);
  return sum;
}

__attribute__((constructor)) static void before(void) { per_thread = 4; }
__attribute__((destructor)) static void after(void) { puts("after"); }

static int cmp(const void *a, const void *b) { return *(const short *)a - *(const short *)b; }

int main(void) {
  struct odd odd = {1, 2, 3, 4};
  struct flexible *f = malloc(sizeof *f + 16);
  double complex z = 1 + 2 * I;
  short sorted[] = {5, 3, 9, 1, 7};
  char text[32] = "";
  for (int i = 0; i < 100; i++) {
    wide = wide * 3 + 1;
    precise = precise * 1.5L - 0.25L;
    z = z * (0.5 + 0.5 * I) + 1;
    odd.i += odd.l * i;
    odd.l ^= odd.s + odd.c;
  }
  f->n = 15;
  memset(f->text, 'x', 15);
  f->text[15] = 0;
  qsort(sorted, 5, sizeof sorted[0], cmp);
  duff(text, "hello, duff's device", 21);
  v4 v = blend((v4){1, 2, 3, 4}, (v4){5, 6, 7, 8});
  v8 w = wider((v8){1, 2, 3, 4, 5, 6, 7, 8});
  printf("%d %d %.3f %d %lu\n", interpret((const unsigned char *)"\0\1\2\0\3"), tail(100000, 0) & 0xffff, mean(3, 1.0, 2.0, 4.5),
         variable_length(17), assembler(20));
  printf("%d %d %d\n", small(1, 2, 3, 4, 5, 6, 7, 20), all_even(3, 2, 4, 6), all_even(2, 4, 5));
  printf("%llx %.12Lg %.6f %.6f %lld %ld\n", (unsigned long long)(wide >> 3), precise, creal(z), cimag(z), (long long)odd.i, odd.l);
  printf("%s %s %d %d %d\n", f->text, text, sorted[0], sorted[4], statement_expressions(10));
  printf("%g %g %d %d %d %d\n", v[0], v[3], w[0], w[4], irreducible(4), irreducible(7));
  printf("%d %d %d\n", per_thread, absent ? absent() : -1, other_name(6));
  struct link top = {0}, middle = {&top, 0, 0, 0}, leaf = {&middle, 0, 0, 0};
  top.left = &middle;
  middle.right = &leaf;
  const int at[] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
  climb(&leaf, 1, &middle);
  const long double of[] = {0, 1, 2, 3, 0, 1, 2, 3};
  printf("%d %d %d %Lg\n", middle.balance, top.balance, last_but_one(12, at), last_but_one_of(8, of));
  free(f);
  return 5;
}
