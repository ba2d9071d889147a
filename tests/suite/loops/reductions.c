// levels: O0 O1 O3
// Reductions in scalars: contributions do not wait for each other, so SP is the trip count.
#include <stdio.h>
enum { N = 64 };
static int a[N];
static double d[N];

static int sum(void) {
  int s = 0;
  // expect: DOALL_REDUCTION(+:s) sp=64 work=64*5 cp=5
  // clauses: reduction(+:s)
  // load 4, add 1
  for (int i = 0; i < N; i++)
    s += a[i];
  return s;
}

static double product(void) {
  double p = 1;
  // expect: DOALL_REDUCTION(*:p) sp=64 work=64*7 cp=7
  // clauses: reduction(*:p)
  // load 4, multiply 3
  for (int i = 0; i < N; i++)
    p *= d[i];
  return p;
}

static int minimum(void) {
  int lo = 1 << 30;
  // expect: DOALL_REDUCTION(min:lo) sp=64
  // clauses: reduction(min:lo)
  for (int i = 0; i < N; i++) {
    int v = a[i];
    if (v < lo)
      lo = v;
  }
  return lo;
}

static double maximum(void) {
  double hi = -1e300;
  // expect: DOALL_REDUCTION(max:hi) sp=64
  // clauses: reduction(max:hi)
  for (int i = 0; i < N; i++) {
    double v = d[i];
    hi = v > hi ? v : hi;
  }
  return hi;
}

static int bits(void) {
  int all = -1;
  // expect: DOALL_REDUCTION(&:all) sp=64 work=64*5
  // clauses: reduction(&:all)
  for (int i = 0; i < N; i++)
    all &= a[i];
  int any = 0;
  // expect: DOALL_REDUCTION(|:any) sp=64 work=64*5
  // clauses: reduction(|:any)
  for (int i = 0; i < N; i++)
    any |= a[i];
  int odd = 0;
  // expect: DOALL_REDUCTION(^:odd) sp=64 work=64*5
  // clauses: reduction(^:odd)
  for (int i = 0; i < N; i++)
    odd ^= a[i];
  return all + any + odd;
}

static int difference(void) {
  int s = 0;
  // expect: DOALL_REDUCTION(+:s) sp=64 work=64*5
  // clauses: reduction(+:s)
  // subtraction from the accumulator is a sum
  for (int i = 0; i < N; i++)
    s -= a[i];
  return s;
}

static int two(void) {
  int s = 0, q = 0;
  // expect: DOALL_REDUCTION(+:q,+:s) sp=64
  // clauses: reduction(+:s,q)
  // two accumulators, each with its own chain
  for (int i = 0; i < N; i++) {
    s += a[i];
    q += a[i] * a[i];
  }
  return s + q;
}

static int conditional(void) {
  int s = 0;
  // expect: DOALL_REDUCTION(+:s) sp=(32*11+32*6)/11
  // clauses: reduction(+:s)
  // test: load 4, and 1, compare 1 = 6; odd elements: load 4 and add 1 behind it = 11
  for (int i = 0; i < N; i++)
    if (a[i] & 1)
      s += a[i];
  return s;
}

static long nested(void) {
  long s = 0;
  // expect: DOALL_REDUCTION(+:s) sp=8
  // clauses: reduction(+:s)
  for (int i = 0; i < 8; i++)
    // expect: DOALL_REDUCTION(+:s) sp=8 instances=8
    // clauses: reduction(+:s)
    // one accumulator for both levels
    for (int j = 0; j < 8; j++)
      s += a[i * 8 + j];
  return s;
}

static int argmin(void) {
  int lo = 1 << 30, at = 0;
  // expect: DOALL_REDUCTION(min:lo) sp=64
  // clauses: words -- value and position are one reduction
  for (int i = 0; i < N; i++) {
    int v = a[i];
    if (v < lo) {
      lo = v;
      at = i;
    }
  }
  return at;
}

static int valid_maximum(void) {
  int hi = -1;
  // expect: DOALL_REDUCTION(max:hi)
  // clauses: reduction(max:hi)
  // what is asked further is of the iteration alone
  for (int i = 0; i < N; i++)
    if (a[i] > hi && a[i] % 3 == 0)
      hi = a[i];
  return hi;
}

static int valid_minimum(void) {
  int lo = 1 << 20, at = -1;
  // expect: DOALL_REDUCTION(min:lo)
  // clauses: patch
  for (int i = 0; i < N; i++)
    if (a[i] < lo) {
      if (a[i] % 3 == 0 || (i > 9 && d[i] < 1.5)) {
        lo = a[i];
        at = i;
      }
    }
  return at;
}

static int misses(void) {
  int hi = -1, missed = 0;
  // expect: SERIAL
  // carried: hi +2->+1 distance any
  // carried: missed +1->+1 distance any
  // what is counted shows how the running maximum stood
  for (int i = 0; i < N; i++)
    if (a[i] > hi && ++missed && a[i] % 3 == 0)
      hi = a[i];
  return hi + missed;
}

static int set_elsewhere(void) {
  int hi = -1, last = -1;
  // expect: DOACROSS
  // carried: hi +2->+1 distance any
  // what is set where the maximum stays as it is shows how that stood
  for (int i = 0; i < N; i++)
    if (a[i] > hi)
      hi = a[i];
    else
      last = i;
  return last;
}

static int set_before_it_is_valid(void) {
  int hi = -1, last = -1;
  // expect: SERIAL
  // carried: hi +4->+1 distance any
  for (int i = 0; i < N; i++)
    if (a[i] > hi) {
      last = i;
      if (a[i] % 3 == 0)
        hi = a[i];
    }
  return last;
}

static int replaced_anyway(void) {
  int hi = -1;
  // expect: DOACROSS
  // carried: hi +4->+1 distance any
  // carried: hi +2->+1 distance any
  // the very value compared with takes the maximum's place where it is none, too
  for (int i = 0; i < N; i++) {
    if (a[i] > hi)
      hi = a[i];
    if (a[i] % 5 == 0)
      hi = a[i];
  }
  return hi;
}

static int replaced_on_both_sides(void) {
  int hi = -1, last = 0;
  // expect: SERIAL
  // carried: hi +2->+1 distance 1
  // carried: hi +5->+1 distance 1
  for (int i = 0; i < N; i++) {
    if (a[i] > hi) {
      hi = a[i];
      last = i;
    } else
      hi = a[i];
  }
  return hi + last;
}

static int replaced_without_its_place(void) {
  int hi = -1, at = 0;
  // expect: SERIAL
  // carried: hi +2->+1 distance any
  // carried: hi +2->+5 distance any
  // carried: hi +6->+1 distance any
  // carried: hi +6->+5 distance any
  // the place is that of some of the replacements only
  for (int i = 0; i < N; i++) {
    if (a[i] > hi) {
      hi = a[i];
      at = i;
    }
    if (a[N - 1 - i] > hi)
      hi = a[N - 1 - i];
  }
  return hi + at;
}

static int hash(void) {
  unsigned h = 0;
  // expect: SERIAL sp=64*5/(64*4+1)
  // carried: h +1->+1 distance 1
  // h * 31 + a[i] mixes two operators: multiply 3, add 1 per iteration; first iteration: load 4, add 1
  for (int i = 0; i < N; i++)
    h = h * 31 + (unsigned)a[i];
  return (int)(h & 1);
}

int main(void) {
  for (int i = 0; i < N; i++) {
    a[i] = (i * 37) % 101 * 2 + i % 2;
    d[i] = 1.0 + i / 64.0;
  }
  double x = product() + maximum();
  int y = sum() + minimum() + bits() + difference() + two() + conditional() + argmin() + hash();
  y += valid_maximum() + valid_minimum() + misses() + set_elsewhere() + set_before_it_is_valid();
  y += replaced_anyway() + replaced_on_both_sides() + replaced_without_its_place();
  printf("%d %.9f\n", y, x);
  return x > 0 && y + nested() != 0 ? 0 : 1;
}
