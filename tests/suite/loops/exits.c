// Loops that may end early: whether iteration i + 1 happens at all is decided in iteration i.
#include "show.h"
enum { N = 64 };
static int a[N], stop[N];
static double b[N], out[N];

static int search(int x) {
  int i;
  // expect: SERIAL sp=1 iters=41
  // carried: none -- a test of data ends it: each iteration waits for the one before to say that there is another
  // load 4, compare 1 before the next iteration may start; nothing else
  for (i = 0; i < N; i++)
    if (a[i] == x)
      break;
  return i;
}

static int search_return(int x) {
  // expect: SERIAL sp=1 iters=41
  // carried: none -- a test of data ends it: each iteration waits for the one before to say that there is another
  for (int i = 0; i < N; i++)
    if (a[i] == x)
      return i;
  return -1;
}

static int sentinel(int x) {
  int i = 0;
  // expect: SERIAL sp=1
  // carried: none -- a test of data ends it: each iteration waits for the one before to say that there is another
  // a[] holds x: no counter at all
  while (a[i] != x)
    i++;
  return i;
}

static void cheap_test(void) {
  // expect: DOACROSS sp=64*114/(63*5+114)
  // carried: none -- a test of data ends it: each iteration waits for the one before to say that there is another
  // test: load 4, compare 1 = 5 per iteration; then load 4, eight divisions 104, store 1 behind the test: 114
  for (int i = 0; i < N; i++) {
    if (stop[i])
      break;
    out[i] = b[i] / 3.0 / 3.0 / 3.0 / 3.0 / 3.0 / 3.0 / 3.0 / 3.0;
  }
}

static void dear_test(void) {
  // expect: SERIAL sp=64*47/(63*46+47)
  // carried: none -- a test of data ends it: each iteration waits for the one before to say that there is another
  // load 4, three divisions 39, compare 3 = 46 before the next iteration may start; store 1 behind it
  for (int i = 0; i < N; i++) {
    double x = b[i] / 3.0 / 3.0 / 3.0;
    if (x < 0)
      break;
    out[i] = x;
  }
}

static int converge(double x) {
  int steps = 0;
  double last = 0;
  // expect: SERIAL sp=1
  // carried: x +2->+2 distance 1
  // Newton: every step needs the one before, by data and by control
  while (x - last > 1e-12 || last - x > 1e-12) {
    last = x;
    x = 0.5 * (x + 2.0 / x);
    steps++;
  }
  return steps;
}

int main(void) {
  for (int i = 0; i < N; i++) {
    a[i] = i;
    b[i] = i + 1;
  }
  int found = search(40) + search_return(40) + sentinel(63);
  cheap_test();
  dear_test();
  SHOW(out), SHOW(found);
  return found == 40 + 40 + 63 && converge(5) < 64 ? 0 : 1;
}
