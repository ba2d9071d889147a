// Small kernels as they occur in programs.
#include "show.h"
enum { N = 64, V = 12 };
static int flags_count, dist[V][V], sum_steps;
static unsigned char composite[400];
static double y[N + 2], z[N + 2], px[24], fx[24], taps[3] = {0.25, 0.5, 0.25};
static int steps[N], v[N], low[N];

static int sieve(void) {
  int primes = 0;
  // expect: DOACROSS sp=(8*10+70*9+320*5)/15 iters=398
  // carried: composite[] +8->+1 distance 2..396
  // test: load 4, compare 1 = 5; primes: i * i 8, guard 9, and below 20 they mark at 10. Primes wait for nobody, multiples for
  // one of their primes only: load at 10 + 4, compare 15
  for (int i = 2; i < 400; i++) {
    if (composite[i])
      continue;
    primes++;
    // expect: DOALL sp=509/8 instances=8 iters=509
    // clauses:
    // marks multiples of 2, 3, 5, ... 19: store 1 each; instances weighted by work
    for (int j = i * i; j < 400; j += i)
      composite[j] = 1;
  }
  return primes;
}

static void shortest_paths(void) {
  // expect: SERIAL sp=82/76
  // carried: dist[] +10->+8 distance 1
  // carried: dist[] +10->+9 distance 1..10
  // the graph is a path 0 -> 1 -> ...: stop k extends the route from 0 to k by one edge, so the stops form a chain of
  // load 4, add 1, compare 1, store 1 = 7 for k = 1 to 10; stops 0 and 11 only look (6)
  for (int k = 0; k < V; k++)
    // expect: DOALL instances=12
    // clauses: firstprivate(k)
    // row k and column k do not change while k is the stop between
    for (int i = 0; i < V; i++)
      // expect: DOALL instances=144
      // clauses:
      for (int j = 0; j < V; j++) {
        int through = dist[i][k] + dist[k][j];
        if (through < dist[i][j])
          dist[i][j] = through;
      }
}

static void collatz(void) {
  // expect: DOALL iters=64
  // clauses:
  // independent but of very different length: self-parallelism stays below the trip count
  for (int i = 0; i < N; i++) {
    int n = 0;
    unsigned x = (unsigned)i + 1;
    // expect: SERIAL
    // carried: x +1->+1 distance 1
    // the next number and whether there is one hang on this one
    while (x != 1) {
      x = x % 2 ? 3 * x + 1 : x / 2;
      n++;
    }
    steps[i] = n;
  }
}

static void convolution(void) {
  // expect: DOALL sp=64
  // clauses:
  for (int i = 1; i <= N; i++)
    z[i] = taps[0] * y[i - 1] + taps[1] * y[i] + taps[2] * y[i + 1];
}

static void forces(void) {
  // expect: DOALL sp=24
  // clauses:
  // bodies are independent; the force on each is a sum
  for (int i = 0; i < 24; i++) {
    double f = 0;
    // expect: DOALL_REDUCTION(+:f) sp=24 instances=24
    // clauses: reduction(+:f)
    for (int j = 0; j < 24; j++) {
      double d = px[j] - px[i];
      f += d / (d * d + 0.01);
    }
    fx[i] = f;
  }
}

static void bubble(int n) {
  // expect: DOACROSS sp=(190*10+19*(2+3))/393
  // carried: v[] +9->+7 distance 1
  // carried: v[] +9->+8 distance 1
  // carried: v[] +9->+9 distance 1
  // v descends, so every comparison swaps. Let c(i, j) be the time of a comparison: c(i, j) = c(i, j - 1) + 10 through
  // v[j + 1], and c(i, 0) = c(i - 1, 1) + 11 through v[j], that is 21 per pass; c(0, 0) = 9 with the guard's 3, and the
  // last store comes 6 after c(18, 0) = 387. Pass i alone takes 10 * (19 - i) + 2 and the guard 3
  for (int i = 0; i < n - 1; i++)
    // expect: SERIAL sp=190*12/(190*10+19*2) iters=190
    // carried: v[] +4->+1 distance 1
    // carried: v[] +4->+2 distance 1
    // load 4, compare 1, reload 4, store 1 = 10: the largest moves on through memory. j + 1 makes it 12 in an iteration
    // alone; instances weighted by work
    for (int j = 0; j < n - 1 - i; j++)
      if (v[j] > v[j + 1]) {
        int t = v[j];
        v[j] = v[j + 1];
        v[j + 1] = t;
      }
}

static int bisect(int x) {
  int lo = 0, hi = N;
  // expect: SERIAL sp=1
  // carried: lo +2->+1 distance 1..2
  // carried: hi +2->+1 distance 1..2
  // carried: lo +2->+0 distance any
  // carried: hi +2->+0 distance any
  while (hi - lo > 1) {
    int mid = (lo + hi) / 2;
    if (v[mid] <= x)
      lo = mid;
    else
      hi = mid;
  }
  return lo;
}

static void running_minimum(void) {
  int m = 1 << 30;
  // expect: DOACROSS sp=64*7/(4+64*2+1)
  // carried: m +2->+2 distance 1..63
  // carried: m +2->+4 distance 1..63
  // the minimum so far is used in every iteration: compare 1, select 1; load 4 before, store 1 after
  for (int i = 0; i < N; i++) {
    int x = v[i];
    if (x < m)
      m = x;
    low[i] = m;
  }
}

static void horner(double x) {
  double r = 0;
  // expect: SERIAL sp=64*8/(4+64*4)
  // carried: r +1->+1 distance 1
  // fused multiply-add 4 per coefficient; the coefficient's load 4 counts only once
  for (int i = 0; i < N; i++)
    r = r * x + y[i];
  z[0] = r;
}

static void switch_body(void) {
  // expect: DOALL sp=16*(22+24+33+17)/33 iters=64
  // clauses:
  // branches inside an iteration keep iterations apart. Selector: load 4, remainder 12; behind it reload 4 and add 1,
  // multiply 3 or divide 12, store 1; or just store 1
  for (int i = 0; i < N; i++) {
    switch (v[i] % 4) {
    case 0: steps[i] = v[i] + 1; break;
    case 1: steps[i] = v[i] * 3; break;
    case 2: steps[i] = v[i] / 7;
    default: steps[i] = 0;
    }
  }
}

int main(void) {
  for (int i = 0; i < N + 2; i++)
    y[i] = i;
  for (int i = 0; i < N; i++)
    v[i] = (i * 29) % 64;
  for (int i = 0; i < 24; i++)
    px[i] = i * i % 24;
  for (int i = 0; i < V; i++)
    for (int j = 0; j < V; j++)
      dist[i][j] = i == j ? 0 : j == i + 1 ? 1 : 1000;
  flags_count = sieve();
  shortest_paths();
  collatz();
  convolution();
  forces();
  running_minimum();
  switch_body();
  sum_steps = bisect(30);
  for (int i = 0; i < N; i++)
    v[i] = N - i;
  bubble(20);
  horner(0.5);
  SHOW(flags_count), SHOW(dist), SHOW(sum_steps), SHOW(composite), SHOW(y), SHOW(z), SHOW(steps), SHOW(v), SHOW(low);
  printf("%.9f %.9f\n", fx[3], fx[20]); /* sums: other orders round differently */
  return flags_count == 78 ? 0 : 1;
}
