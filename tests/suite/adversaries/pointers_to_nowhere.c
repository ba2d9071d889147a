/* Sums through pointers that lead nowhere: the loop asks for that, or has no iteration. */
#include <stdio.h>
#include <stdlib.h>
struct S {
  int x, y;
};
__attribute__((noinline)) void f(struct S *restrict s, const int *restrict a, int n) {
  for (int i = 0; i < n; i++)
    if (s) s->x += a[i];
}
__attribute__((noinline)) void g(int *restrict sum, const int *restrict a, int n) {
  for (int i = 0; i < n; i++)
    if (sum) *sum += a[i];
}
__attribute__((noinline)) void h(struct S *restrict s, const int *restrict a, int n) {
  for (int i = 0; i < n; i++)
    if (a[i] > 5) s->x += a[i];
}
__attribute__((noinline)) void k(struct S *restrict s, const int *restrict a, int n) {
  for (int i = 0; i < n; i++)
    s->y += a[i];
}
int main(void) {
  int n = 5000, *a = malloc(4 * n), t = 0;
  struct S s = {0, 0};
  for (int i = 0; i < n; i++)
    a[i] = i % 7;
  f(&s, a, n);
  g(&t, a, n);
  h(&s, a, n);
  k(&s, a, n);
  f(NULL, a, n);
  g(NULL, a, n);
  k(NULL, a, 0);
  for (int i = 0; i < n; i++)
    a[i] = 1;
  h(NULL, a, n);
  printf("%d %d %d\n", s.x, s.y, t);
}
