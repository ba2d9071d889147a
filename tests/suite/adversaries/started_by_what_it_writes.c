/* Once directives: every thread evaluates the first part of a `for`, which reads what the loop changes: through a small function, in a function that
   the loop calls, under another name. */
#include <stdio.h>
static int s, last, table[600], first = 600, other;
static double A[600];
static int of_s(void) { return s; }
static int of_last(void) { return last; }
static int of_table(int j) { return table[j]; }
static int of_first(void) { return first; }
static void set(int i, int v) {
  if (i == 50)
    other = v;
}
__attribute__((noinline)) static void through(int *p, int *q) {
  for (int i = *p; i < 600; i++) {
    if (i == 50)
      *q = 90;
    A[i] += i;
  }
}
int main(void) {
  int start = 0;
  for (int i = of_s(); i < 600; i++) {
    s += 3;
    A[i] = i;
  }
  for (int i = of_last(); i < 600; i++) {
    last = i;
    A[i] += last * 2;
  }
  for (int i = of_table(3); i < 600; i++) {
    table[i] = i;
    A[i] += table[i];
  }
  for (int i = of_first() - 600; i < 600; i++) {
    if (i == 50)
      first = 690;
    A[i] += i * 3;
  }
  for (int i = other; i < 600; i++) {
    set(i, 90);
    A[i] += i;
  }
  through(&start, &start);
  double h = 0;
  for (int i = 0; i < 600; i++)
    h = h * .99 + A[i];
  printf("%d %d %d %d %d %.10g\n", s, last, first, other, start, h);
  return 0;
}
