/* Unchecked only: double *x = s->x of an array member, although every access was looked at. (2026-11-25) */
#include <stdio.h>
#define N 1500
typedef struct { double x[N]; int n; } Soa;
static Soa so; static double b[N], d[N];
static void z1(double *x, int n) { int i;
  for (i = 0; i < n / 2; i++)
    x[2 * i] += x[2 * i + 1];
}
static void z2(Soa *s) { int i; double *x = s->x;
  for (i = 0; i < s->n / 2; i++)
    x[2 * i] += x[2 * i + 1];
}
static void z3(Soa *s, int n) { int i; double *x = s->x;
  for (i = 0; i < n / 2; i++)
    x[2 * i] += x[2 * i + 1];
}
static void z4(Soa *s, int n) { int i; double *x = s->x;
  for (i = 0; i < n / 2; i++)
    x[2 * i] = d[i] * 2;
}
static void z5(Soa *s, int n) { int i;
  for (i = 0; i < n / 2; i++)
    s->x[2 * i] += s->x[2 * i + 1];
}
int main(void) { int i; double s = 0;
  for (i = 0; i < N; i++) { so.x[i] = b[i] = i; d[i] = i % 7; } so.n = N;
  z1(b, N); z2(&so); z3(&so, N); z4(&so, N); z5(&so, N);
  for (i = 0; i < N; i++) s += so.x[i] * i + b[i];
  printf("%.15g\n", s); return 0; }
