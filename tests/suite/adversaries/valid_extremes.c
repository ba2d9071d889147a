// Extreme values of what is valid: further conditions behind the comparison, in all its forms.
#include <stdio.h>
#include <float.h>
#include <limits.h>
#define N 4000
typedef struct { double key; int valid; unsigned short tag; } rec;
static rec r[N]; static float f[N]; static long l[N]; static unsigned u[N]; static signed char sc[N];
static int lo_idx; static double gbest;
static int is_prime(int n) { if (n < 2) return 0;
  for (int d = 2; d * d <= n; d++) if (n % d == 0) return 0; return 1; }
static int best_prime(void) { int m = -1;
  for (int i = 0; i < N; i++) { if (l[i] > m && is_prime((int)l[i])) m = (int)l[i]; } return m; }
static double best_valid(const rec *q, int n) { double best = -DBL_MAX; const rec *e = q + n;
  for (; q < e; q++) { if (q->key <= best) continue; if (!q->valid) continue; best = q->key; } return best; }
static float fmin_range(float a, float b) { float m = FLT_MAX; int i;
  for (i = 0; i < N; ++i) if (f[i] < m) if (f[i] >= a) if (f[i] <= b) m = f[i]; return m; }
static unsigned umin(void) { unsigned m = UINT_MAX; int i;
  for (i = 0; i < N; i++) if (u[i] && u[i] < m) m = u[i]; return m; }
static unsigned umin2(void) { unsigned m = UINT_MAX; int i;
  for (i = 0; i < N; i++) if (u[i] < m && u[i]) m = u[i]; return m; }
static int schar(void) { signed char m = -128; int i;
  for (i = 0; i < N; i++) if (sc[i] > m && (i & 1)) m = sc[i]; return m; }
static int mixed(void) { unsigned m = 0; int i;
  for (i = 0; i < N; i++) if (sc[i] > (int)m && (i & 1)) m = sc[i]; return m; }
static int two(void) { long hi = LONG_MIN, lo = LONG_MAX; int i;
  for (i = 0; i < N; i++) { if (l[i] > hi && r[i].valid) hi = l[i]; if (l[i] < lo && r[i].valid) lo = l[i]; } return (int)(hi - lo); }
static int second(void) { long hi = LONG_MIN, next = LONG_MIN; int i;
  for (i = 0; i < N; i++) { if (l[i] > hi && r[i].valid) { next = hi; hi = l[i]; } else if (l[i] > next && r[i].valid) next = l[i]; } return (int)next; }
static int both_sides(void) { long m = 0; int i;
  for (i = 0; i < N; i++) { if (l[i] > m && r[i].valid) m = l[i]; if (-l[i] > m && r[i].valid) m = -l[i]; } return (int)m; }
static int place(void) { int at = -1; double m = DBL_MAX;
  for (int i = 0; i < N; i++) if (r[i].key < m && r[i].valid && r[i].tag != 7) { m = r[i].key; at = i; } return at; }
static int place_last(void) { int at = -1; double m = DBL_MAX;
  for (int i = N - 1; i >= 0; i--) if (r[i].key < m && r[i].valid) { m = r[i].key; at = i; } return at; }
static int tag_of(void) { unsigned short t = 0; double m = -1;
  for (int i = 0; i < N; i++) if (r[i].key > m && r[i].valid) { m = r[i].key; t = r[i].tag; } return t; }
static void into_global(void) {
  for (int i = 0; i < N; i++) if (r[i].key > gbest && r[i].valid) { gbest = r[i].key; lo_idx = i; } }
int main(void) {
 
  for (int i = 0; i < N; i++) { r[i].key = (i * 7919 % 1009) * 0.5; r[i].valid = i % 3 == 1; r[i].tag = i % 11; f[i] = (i * 31 % 977) - 300; l[i] = i * 67 % 1013 - 200; u[i] = i * 13 % 97; sc[i] = i * 7 % 251 - 125; }
  printf("%d\n", best_prime()); printf("%g\n", best_valid(r, N)); printf("%g\n", fmin_range(-50, 700)); printf("%u %u\n", umin(), umin2());
  printf("%d %d %d %d\n", schar(), mixed(), two(), second()); printf("%d %d %d %d\n", both_sides(), place(), place_last(), tag_of());
  into_global(); printf("%g %d\n", gbest, lo_idx); return 0; }
