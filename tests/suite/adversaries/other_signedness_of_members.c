/* Maxima that the loop compares in another sign than they are declared. */
#include <stdio.h>
#include <stdlib.h>
struct S {
  int mx;
  unsigned um;
};
__attribute__((noinline)) void f(struct S *s, const unsigned *a, int n) {
  for (int i = 0; i < n; i++)
    if (a[i] > s->mx)
      s->mx = a[i];
}
__attribute__((noinline)) void g(struct S *s, const int *a, int n) {
  for (int i = 0; i < n; i++)
    if (a[i] > (int)s->um)
      s->um = a[i];
}
__attribute__((noinline)) void h(int *mx, const unsigned *a, int n) {
  for (int i = 0; i < n; i++)
    if (a[i] > *mx)
      *mx = a[i];
}
__attribute__((noinline)) int k(const int *a, int n) {
  struct S s = {0, -5};
  for (int i = 0; i < n; i++)
    if (a[i] > (int)s.um)
      s.um = a[i];
  return s.um;
}
int main(void) {
  int n = 5000, *a = malloc(4 * n);
  unsigned x = 7;
  for (int i = 0; i < n; i++) {
    x = x * 1103515245u + 12345u;
    a[i] = (int)((x >> 14) % 1999) - 999;
  }
  struct S s = {0, -5};
  int m = 0;
  f(&s, (unsigned *)a, n);
  g(&s, a, n);
  h(&m, (unsigned *)a, n);
  printf("%d %u %d %d\n", s.mx, s.um, m, k(a, n));
}
