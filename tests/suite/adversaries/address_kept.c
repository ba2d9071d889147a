// The loop keeps the address of what it reduces: after it, that of a thread's copy would be gone.
#include <stdio.h>
#define N 150
static int a[N], total, hist[16];
static int *slot[N];
struct rec { int id; int *ctr; } R[N];
int main(void) {
  int i; long s = 0;
  for (i = 0; i < N; i++) a[i] = i * 37 % 101;
  for (i = 0; i < N; i++) {
    total += a[i];
    R[i].id = i; R[i].ctr = &total;
  }
  for (i = 0; i < N; i++) s += *R[i].ctr + R[i].id;
  printf("%ld %d\n", s, total);
  for (i = 0; i < N; i++) {
    hist[a[i] & 15]++;
    slot[i] = &hist[a[i] & 15];
  }
  for (i = 0; i < N; i++) s += *slot[i] * (i + 1);
  printf("%ld %d\n", s, hist[3]);
}
