// An index that is the distance of a pointer from the reduced array: in the loop, from the thread's copy.
#include <stdio.h>
#define N 20000
static int a[N], hist[16];
static int *ptr[N];
int main(void) {
  int i; long s = 0;
  for (i = 0; i < N; i++) { a[i] = i * 37 % 101; ptr[i] = &hist[a[i] & 15]; }

  for (i = 0; i < N; i++)
    hist[ptr[i] - hist]++;
  for (i = 0; i < 16; i++) s += hist[i] * (i + 1);
  printf("%ld\n", s);
}
