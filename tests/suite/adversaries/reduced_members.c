/* Members of structures that are summed, in forms of which no thread can have its own. */
#include <stdio.h>
#include <stdlib.h>
#define N 2000
struct bits { unsigned a : 3, b : 13; int n; };
union either { double d; long n; };
struct parts { union either u; double sum; volatile double seen; };
struct flexible { int n; double sum; double tail[]; };
struct node { struct node *next; double sum; int n; };
struct holder { struct node *node; double sum; };
double x[N], y[N];
static void bit_fields(struct bits *s) { int i;
 for (i = 0; i < N; i++) { s->a |= i & 4; s->n++; }
}
static void unions(struct parts *s) { int i;
 for (i = 0; i < N; i++) { s->u.d += x[i]; s->sum += x[i]; }
 for (i = 0; i < N; i++) { s->seen += x[i]; s->sum += x[i]; }
 for (i = 0; i < N; i++) s->sum += x[i] * (double)s->u.n;
}
static void tails(struct flexible *s) { int i;
 for (i = 0; i < N; i++) { s->sum += x[i] * s->tail[i % 4]; s->n++; }
 for (i = 0; i < N; i++) { s->sum += x[i] * s->tail[1]; s->n++; }
}
static void lists(struct node *s) { int i;
 for (i = 0; i < N; i++) { s->sum += x[i]; s = s->next; }
}
static void nexts(struct node *s) { int i;
 for (i = 0; i < N; i++) { s->sum += x[i]; s->next->n++; }
}
static void indexes(struct node *s) { int i;
 for (i = 0; i < N; i++) if (x[i] > 2) y[s->n++] = x[i];
}
static void deeper(struct holder *h) { int i;
 for (i = 0; i < N; i++) { h->node->sum += x[i]; h->sum += 1; }
}
static void shadowed(struct node *s) { int i;
 for (i = 0; i < N; i++) { struct node t = {0, x[i], 1}; { struct node *s = &t; s->n += 2; y[i] = s->n; } s->sum += y[i]; }
}
#define ADD(v) s->sum += (v)
static void macros(struct node *s) { int i;
 for (i = 0; i < N; i++) { ADD(x[i]); s->n++; }
}
static void bounds(struct node *s) { int i;
 for (i = 0; i < s->n; i++) s->sum += x[i];
}
static int conditions(struct node *s, int c) { int i;
 if (c)
  for (i = 0; i < N; i++)
   s->sum += x[i];
 else
  s->n = 4;
 return s->n;
}
static void constant(struct node *const restrict s) { int i;
 for (i = 0; i < N; i++) { s->sum -= x[i]; s->n ^= i; }
}
static void swapped(struct node *s, struct node *t) { int i;
 for (i = 0; i < N; i++) { s->sum += x[i]; if (i == N - 1) *t = *s; }
}
static void chosen(struct node *s, struct node *t) { int i;
 for (i = 0; i < N; i++) (i & 1 ? s : t)->sum += x[i];
}
int main(void) { int i, hits = 0, *p = &hits; struct bits b = {0, 0, 0}; struct parts u = {{0}, 0, 0}; struct node s = {&s, 0, 0}, t = {&s, 0, 0};
 struct holder h = {&t, 0}; struct flexible *f = calloc(1, sizeof *f + 4 * sizeof(double));
 struct node one = {0}, *q = &one;
 for (i = 0; i < N; i++) x[i] = i % 7;
 for (i = 0; i < 4; i++) f->tail[i] = i + 1;
 bit_fields(&b); printf("%d %d\n", b.a, b.n);
 unions(&u); printf("%g %g\n", u.sum, u.seen);
 tails(f); printf("%g %d\n", f->sum, f->n);
 lists(&s); nexts(&s); printf("%g %d\n", s.sum, s.n);
 s.n = 0; indexes(&s); printf("%d %g\n", s.n, y[s.n - 1]);
 deeper(&h); printf("%g %g\n", t.sum, h.sum);
 shadowed(&t); macros(&t); printf("%g %d\n", t.sum, t.n);
 t.n = N / 2; bounds(&t); printf("%g %d\n", t.sum, conditions(&t, 1));
 constant(&t); printf("%g %d\n", t.sum, t.n);
 swapped(&t, &s); printf("%g %g\n", s.sum, t.sum);
 chosen(&s, &t); printf("%g %g\n", s.sum, t.sum);
 for (i = 0; i < N; i++) { hits += x[i] > 3; if (i > N - 3) y[i] = *p; }
 printf("%d %g\n", hits, y[N - 1]);
 for (i = 0; i < N; i++) { one.n += x[i] > 3; if (i > N - 3) y[i] = q->n; }
 printf("%d %g\n", one.n, y[N - 1]);
 return 0;
}
