/* A pointer that is declared in front of the loop and leads to another element in every iteration: a copy of the pointer for each thread
   keeps no two iterations apart that lead to the same element (found 2026-11-25: `private(e)` alone). */
#include <stdio.h>
#define N 100000
static int k[N], count[16];
static void histogram(void) { int *e, i;
  for (i = 0; i < N; i++) {
    e = &count[k[i]];
    *e += 1;
  }
}
int main(void) { int i;
  for (i = 0; i < N; i++)
    k[i] = i * 7 % 13;
  histogram();
  for (i = 0; i < 13; i++)
    printf("%d ", count[i]);
  printf("\n"); return 0; }
