/* Once directives without a clause for what one iteration of this run alone wrote: with other inputs several do, at the same place. */
#include <stdio.h>
#include <stdlib.h>
#define N 2000
struct st { double sum; int where; struct st *next; char name[8]; };
static double a[N], b[N]; static int v[N]; static int where, first[4]; static double at; static struct st g; static const char *msg = "none";
static void f1(void) { int i;
  for (i = 0; i < N; i++) {
    if (v[i] == 77) where = i;
    b[i] += 1;
  } }
static void f2(struct st *s) { int i;
  for (i = 0; i < N; i++) {
    if (v[i] == 77) s->where = i;
    b[i] += 1;
  } }
static void f3(int *p) { int i;
  for (i = 0; i < N; i++) {
    if (v[i] == 77) *p = i;
    b[i] += 1;
  } }
static void f4(int *p) { int i;
  for (i = 0; i < N; i++) {
    if (v[i] == 77) p[2] = i;
    b[i] += 1;
  } }
static void f5(void) { int i;
  for (i = 0; i < N; i++) {
    if (v[i] == 77) g.where = i;
    b[i] += 1;
  } }
static void f6(void) { int i;
  for (i = 0; i < N; i++) {
    if (v[i] == 77) first[1] = i;
    b[i] += 1;
  } }
static void f7(void) { int i, w = 0, *p = &w;
  for (i = 0; i < N; i++) {
    if (v[i] == 77) *p = i;
    b[i] += 1;
  }
  printf("%d\n", w); }
static void f8(void) { int i;
  for (i = 0; i < N; i++) {
    if (v[i] == 77) msg = "found";
    b[i] += 1;
  } }
static void f9(struct st *s) { int i;
  for (i = 0; i < N; i++) {
    if (v[i] == 77) s->next->where = i;
    b[i] += 1;
  } }
static void f10(struct st *s) { int i;
  for (i = 0; i < N; i++) {
    if (v[i] == 77) snprintf(s->name, 8, "%d", i);
    b[i] += 1;
  } }
static void f11(int *n, double *out) { int i;
  for (i = 0; i < N; i++)
    if (v[i] == 77) out[(*n)++] = i;
}
static void f12(int n, double *out) { int i, m = 0;
  for (i = 0; i < n; i++)
    if (v[i] == 77) out[m] = i;
}
static void set(int *p, int x) { *p = x; }
static void f13(struct st *s) { int i;
  for (i = 0; i < N; i++) {
    if (v[i] == 77) set(&s->where, i);
    b[i] += 1;
  } }
static void f14(double *p, int k) { int i;
  for (i = 0; i < N; i++) {
    if (v[i] == 77) p[k] = i;
    b[i] += p[i];
  } }
static void f15(void) { int i;
  for (i = 0; i < N; i++) {
    if (v[i] == 77) at = b[i];
    if (v[i] == 78) b[i] = at;
  } }
static void note(int i) { where = i; }
static void f16(void) { int i;
  for (i = 0; i < N; i++) {
    if (v[i] == 77) note(i);
    b[i] += 1;
  } }
static void f17(int n) { int i;
  for (i = 0; i < n; i++) {
    where = i;
    b[i] += where;
  } }
int main(void) { int i, n = 0; double s = 0; struct st x = {0}, y = {0}; x.next = &y;
  for (i = 0; i < N; i++) v[i] = i;
  f1(); f2(&x); f3(&n); f4(first); f5(); f6(); f7(); f8(); f9(&x); f10(&x); f11(&n, a + 3); f12(N, a); f13(&x); f14(a, 7); f15(); f16(); f17(N);
  for (i = 0; i < N; i++) s += b[i] + a[i];
  printf("%g %d %d %d %d %s %s %d\n", s, where, n, first[1], x.where, msg, x.name, g.where); return 0; }
