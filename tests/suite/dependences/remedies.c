// Loops with what can be done about the dependences that stop them. A comment `//:` on a loop's line lists, separated by `;`:
//   flow NAME +A>+B D    as in kinds.c
//   free                 nothing stops it
//   remedies CODES       codes of the remedies of all of them, in their order
//   says TEXT            what one of them says
//   plan TEXT            what the plan says of a loop whose iterations overlap in part
// The work of an iteration is long, so that iterations overlap where they can.
#include <stdio.h>
#include <stdlib.h>

enum { N = 200, M = 64 };
static double a[N + 8], b[N + 8], u[N + 8], z[N + 8], c[M][M], e[M][M], v[M][M];

static double work(double x) {
  for (int k = 0; k < 20; k++) //: flow x +1>+1 1; remedies scan closed_form
    x = x * 0.5 + 1;
  return x;
}

static int counter(void) {
  static int count;
  count++;
  return count;
}

static void distances(void) {
  for (int i = 8; i < N; i++) { //: flow a[] +2>+2 8; remedies fission skew pipeline; plan depend(sink: i - 8)
    double t = work(u[i]);
    a[i] = a[i - 8] + t;
  }
  for (int i = 8; i < N; i += 2) { //: flow a[] +2>+2 1; remedies scan fission pipeline; says (sink: i - 2)`; plan (sink: i - 2)`
    double t = work(u[i]);
    a[i] = a[i - 2] + t;
  }
  for (int i = N - 1; i >= 0; i--) { //: flow a[] +2>+2 1; remedies scan fission pipeline; plan (sink: i + 1)`
    double t = work(u[i]);
    a[i] = a[i + 1] + t;
  }
}

static void states(void) {
  for (int i = 0; i < N; i++) //: flow rand() +1>+1 1; remedies per_thread_state; plan rand() has one state for all threads
    b[i] = work(rand());
  for (int i = 0; i < N; i++) //: flow count -22>-22 1; remedies per_thread_state; plan `count` is a state of counter
    b[i] = work(counter());
}

static void nests(void) {
  for (int i = 1; i < M; i++) { //: flow c[] +2>+2 1; remedies inner_loop interchange; says lies at the same `j`
    for (int j = 0; j < M; j++) { //: free
      c[i][j] = c[i - 1][j] + v[i][j];
    }
  }
  for (int i = 1; i < M; i++) { //: flow e[] +2>+2 1; remedies wavefront; says `i + j`; plan depend(sink: i - 1, j)
    for (int j = 1; j < M; j++) { //: flow e[] +1>+1 1; remedies scan wavefront; says that on line
      e[i][j] = (e[i - 1][j] + e[i][j - 1]) * 0.5;
    }
  }
  for (int i = 1; i < M; i++) { //: flow c[] +3>+3 1; remedies inner_loop fission pipeline; says front of the whole loop on line
    double t = work(u[i]);
    for (int j = 0; j < 8; j++) //: free
      c[i][j] = c[i - 1][j] * 0.5 + t;
    b[i] = t;
  }
}

static void peels(void) {
  for (int i = 0; i < N; i++) { //: flow z +2>+3 1..199; remedies peel; says only iteration number 0
    if (i == 0)
      z[0] = work(3);
    b[i] = work(z[0] + i);
  }
  for (int i = 0; i < N; i++) { //: flow z +2>+3 1..199; remedies peel; says if only the first ones write
    if (i < 2)
      z[i] = work(3);
    b[i] = work(z[0] + i);
  }
}

static volatile double shared;

static void sums(void) {
  double s = 1;
  for (int i = 0; i < N; i++) { //: flow s +2>+2 1; remedies scan closed_form fission pipeline; says lies on line
    double t = work(u[i]);
    s = s * 0.5 + t;
    b[i] = s;
    a[i] = work(t);
  }
  for (int i = 1; i < N; i++) //: flow b[] +1>+1 1; remedies scan
    b[i] = b[i - 1] + u[i];
  for (int i = 0; i < M; i++) //: flow z[] +2>+2 1..62; remedies inner_loop; says as a reduction
    for (int j = 0; j < i; j++) //: free
      z[i] += z[j] * 0.5;
  for (int i = 0; i < M; i++) //: flow shared +1>+1 1; remedies accumulate
    shared += u[i];
}

int main(void) {
  for (int i = 0; i < N; i++) //: free
    u[i] = i % 7;
  distances();
  states();
  nests();
  peels();
  sums();
  printf("%f %f %f %f %f\n", a[20], b[20], c[30][5], e[20][20], z[10]);
  return 0;
}
