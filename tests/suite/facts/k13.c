// levels: O0 O1 O3
// K13: faults of Kremlin's implementation that must not come back, as far as one profile shows them.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
enum { N = 64 };
static int a[2 * N + 2], out[N];
static unsigned char c[2 * N + 2];
static struct big { int v[10]; } big[N + 1];

static void adjacent_words(void) {
  // expect: DOALL sp=64
  // writes even elements, reads odd ones: 8-byte shadow words would chain them
  for (int i = 0; i < N; i++)
    a[2 * i + 2] = a[2 * i + 1] + 1;
}

static void adjacent_bytes(void) {
  // expect: DOALL sp=64
  for (int i = 0; i < N; i++)
    c[2 * i + 2] = c[2 * i + 1] + 1;
}

static void byte_chain(void) {
  // expect: SERIAL sp=1 cp=64*6
  // load 4, add 1, store 1
  for (int i = 0; i < N; i++)
    c[i + 1] = c[i] + 1;
}

static void freed(void) {
  // expect: DOALL iters=64
  // the allocator hands out the same memory again and again; what was stored there before it was freed is history
  for (int i = 0; i < N; i++) {
    int *p = calloc(1, sizeof *p);
    out[i] = *p;
    *p = a[i] / 3 / 3 / 3 / 3;
    out[i] += *p;
    free(p);
  }
}

static void unmapped(void) {
  // expect: DOALL iters=64
  // the same with pages of the kernel
  for (int i = 0; i < N; i++) {
    int *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    out[i] = p[5];
    p[5] = a[i] / 3 / 3 / 3 / 3;
    out[i] += p[5];
    munmap(p, 4096);
  }
}

static void copied(void) {
  // expect: SERIAL sp=64*6/(64*5+1) cp=64*5+1
  // memcpy carries: load 4, store 1; i + 1 takes 1
  for (int i = 0; i < N; i++)
    memcpy(&big[i + 1], &big[i], sizeof big[0]);
}

static double sines(double x) {
  // expect: SERIAL sp=1 work=64*40 cp=64*40
  // an elementary function costs 40, and its result hangs on its argument
  for (int i = 0; i < N; i++)
    x = sin(x);
  return x;
}

static int compare(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }

static void sorted(void) {
  static int v[8] = {7, 3, 5, 1, 6, 2, 4, 0};
  // expect: SERIAL
  // the new largest element is made from the old one and put first; qsort moves it to the end, and its time with it
  for (int i = 0; i < 16; i++) {
    v[0] = v[7] + 3;
    qsort(v, 8, sizeof v[0], compare);
  }
}

int main(void) {
  adjacent_words();
  adjacent_bytes();
  byte_chain();
  freed();
  unmapped();
  copied();
  sorted();
  return sines(1.0) > 1;
}
