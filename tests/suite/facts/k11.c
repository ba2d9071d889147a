// flags: --parascan-latency=kremlin
// levels: O0 O1 O3
// K11: Kremlin's cost table, one operation per function.
#include <stdatomic.h>
static int cell, cells[4];
static atomic_int counter;

static int add(int a, int b) { return a + b; } // expect-function: ANY work=1 cp=1
static int sub(int a, int b) { return a - b; } // expect-function: ANY work=1 cp=1
static int and(int a, int b) { return a & b; } // expect-function: ANY work=1 cp=1
static int or(int a, int b) { return a | b; } // expect-function: ANY work=1 cp=1
static int xor(int a, int b) { return a ^ b; } // expect-function: ANY work=1 cp=1
static int shift(int a, int b) { return a << (b & 7); } // expect-function: ANY work=2 cp=2
static int less(int a, int b) { return a < b; } // expect-function: ANY work=1 cp=1
static int multiply(int a, int b) { return a * b; } // expect-function: ANY work=2 cp=2
static int divide(int a, int b) { return a / b; } // expect-function: ANY work=10 cp=10
static int rest(int a, int b) { return a % b; } // expect-function: ANY work=10 cp=10
static unsigned udivide(unsigned a, unsigned b) { return a / b; } // expect-function: ANY work=10 cp=10
static double fadd(double a, double b) { return a + b; } // expect-function: ANY work=2 cp=2
static double fsub(double a, double b) { return a - b; } // expect-function: ANY work=2 cp=2
static int fless(double a, double b) { return a < b; } // expect-function: ANY work=2 cp=2
static double fmul(double a, double b) { return a * b; } // expect-function: ANY work=5 cp=5
static double fdivide(double a, double b) { return a / b; } // expect-function: ANY work=20 cp=20
static int load(const int *p) { return *p; } // expect-function: ANY work=4 cp=4
static void store(int *p, int v) { *p = v; } // expect-function: ANY work=1 cp=1
static int atomic(int v) { return atomic_fetch_add(&counter, v); } // expect-function: ANY work=6 cp=6
static long widen(int a) { return a; } // expect-function: ANY work=0 cp=0
static double convert(int a) { return a; } // expect-function: ANY work=0 cp=0
static int *address(int *p, int i) { return &p[i]; } // expect-function: ANY work=0 cp=0
static int choose(int a, int b, int c) { return a < b ? b : c; } // expect-function: ANY work=1 cp=1
static int call(int a, int b) { return add(a, b); } // expect-function: ANY work=1 cp=1
static int nothing(int a) { return a; } // expect-function: ANY work=0 cp=0 sp=1 tp=1

// expect-function: ANY work=4+2+1+1 cp=4+2+1+1
// load, multiply, add, store in a row
static void all(int *p, int a, int b) { *p = *p * a + b; }

int main(int argc, char **argv) {
  (void)argv;
  int n = argc + 6;
  int s = and(n, 3) + or(n, 8) + xor(n, 5) + shift(n, 2) + less(n, 9) + multiply(n, 3) + divide(n, 2) + rest(n, 4);
  s += (int)udivide((unsigned)n, 3) + (int)fadd(n, 2) + (int)fsub(n, 2) + fless(n, 3) + (int)fmul(n, 2) + (int)fdivide(n, 2);
  store(&cell, n);
  s += load(&cell) + atomic(1) + (int)widen(n) + (int)convert(n) + *address(cells, 1) + choose(n, 2, 3) + sub(n, 1) + nothing(4) + call(n, 3);
  all(&cell, 2, 3);
  return s < 0;
}
