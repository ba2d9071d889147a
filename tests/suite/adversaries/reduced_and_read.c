/* Sums in memory that are looked at under another name in the iteration that adds to them, which no dependence between iterations shows. */
#include <stdio.h>
#include <string.h>
#define N 2000
struct S { double sum, scale; long n; } g, snap[N];
double x[N], y[N], total;
static double look(void) { return total; }
static void alias(double *p, const double *q) { int i;
 for (i = 0; i < N; i++) { *p += x[i]; y[i] = *q; }
}
static void before(double *p, const double *q) { int i;
 for (i = 0; i < N; i++) { y[i] = *q; *p += x[i]; }
}
static void nested(double *p, const double *q) { int i, j;
 for (i = 0; i < N / 10; i++) {
  for (j = 0; j < 10; j++) *p += x[i * 10 + j];
  y[i] = *q; }
}
static void members(struct S *s, const double *q) { int i;
 for (i = 0; i < N; i++) { s->sum += x[i]; s->n++; y[i] = *q; }
}
static void copied(struct S *s) { int i;
 for (i = 0; i < N; i++) { s->sum += x[i]; memcpy(&snap[i], s, sizeof *s); }
}
static void called(void) { int i;
 for (i = 0; i < N; i++) { total += x[i]; y[i] = look(); }
}
static void rarely(struct S *s, struct S *t, int at) { int i;
 for (i = 0; i < N; i++) { s->n += x[i] > 3; if (i == at) y[i] = t->n; }
}
static double sum(void) { int i; double s = 0; for (i = 0; i < N; i++) s = s * 0.5 + y[i]; return s; }
int main(void) { int i; struct S l = {0, 2, 0};
 for (i = 0; i < N; i++) x[i] = i % 7;
 alias(&total, &total); printf("%g %g\n", total, sum());
 before(&total, &total); printf("%g %g\n", total, sum());
 nested(&total, &total); printf("%g %g\n", total, sum());
 members(&g, &g.sum); printf("%g %ld %g\n", g.sum, g.n, sum());
 copied(&g); printf("%g %g %g\n", g.sum, snap[N / 2].sum, snap[N - 1].sum);
 called(); printf("%g %g\n", total, sum());
 rarely(&g, &g, N / 2); printf("%ld %g\n", g.n, sum());
 for (i = 0; i < N; i++) { l.sum += x[i]; l.n += i; y[i] = l.scale; }
 printf("%g %ld %g\n", l.sum, l.n, sum());
 return 0;
}
