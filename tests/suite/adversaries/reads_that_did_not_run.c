/* Once directives for loops that read what other iterations write, or print, where this run did not come: in lines of their own and in lines with more. */
#include <stdio.h>
#define N 3000
#define LOG(...) do { if (debug) printf(__VA_ARGS__); } while (0)
static double a[N + 8], b[N + 8], c[N + 8]; static int k[N + 8], debug;
static void never_read(int n, int rare) { int i;
  for (i = 0; i < n; i++) {
    a[i] = i * 0.5;
    if (k[i] == rare)
      b[i] = a[k[i]];
  } }
static void one_line(int n, int rare) { int i;
  for (i = 0; i < n; i++) { if (k[i] == rare) b[k[i]] = i; else c[i] = i; }
}
static void one_line_read(int n, int rare) { int i;
  for (i = 0; i < n; i++) c[i] = k[i] == rare ? c[k[i]] : i;
}
static void inner(int n, int rare) { int i, j;
  for (i = 0; i < n; i++) {
    double s = 0;
    for (j = 0; j < k[i] - rare; j++)
      s += c[j];
    c[i] = s;
  } }
static void two_pointers(double *p, double *q, int n, int rare) { int i;
  for (i = 0; i < n; i++) {
    p[i] += 1;
    if (k[i] == rare) p[i] += q[k[i]];
  } }
static int output(int n) { int i, errors = 0;
  for (i = 0; i < n; i++) { LOG("%d\n", i); a[i] += 1; }
  for (i = 0; i < n; i++) { if (a[i] < 0) { fprintf(stderr, "bad %d\n", i); errors++; continue; } b[i]++; }
  for (i = 0; i < n; i++) { if (a[i] < 0) puts("negative"); b[i] *= 2; }
  return errors; }
int main(int argc, char **argv) { int i; double s = 0; int rare = argc > 1 ? 7 : -1; (void)argv; debug = argc > 2;
  for (i = 0; i < N + 8; i++) { k[i] = i * 13 % N; a[i] = b[i] = i % 11; }
  never_read(N, rare); one_line(N, rare); one_line_read(N, rare); inner(N, argc > 1 ? 0 : N); two_pointers(a, b, N, rare); s = output(N);
  for (i = 0; i < N; i++) s += a[i] * (i % 7) + b[i] * (i % 5) + c[i] * (i % 3);
  printf("%.10g\n", s); return 0; }
