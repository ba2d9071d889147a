// levels: O0 O1 O3
// Checks whose failure ends the program, flags, and sums in few bits.
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define N 64

static double a[N], w[N];
static short sh[N];
static unsigned char by[N], bits[N / 8];
static int k[N], histogram[8];
static float single[8];
static double largest;
static struct {
  double least, most;
} extremes;

static void asserted(void) {
  int i;
  // expect: DOALL fn=asserted
  // clauses:
  for (i = 0; i < N; i++) {
    assert(a[i] >= 0);
    w[i] = a[i] * 2;
  }
}

static void indices_checked(void) {
  int i;
  // expect: DOALL_REDUCTION sp=64 fn=indices_checked
  // clauses: reduction(+:histogram)
  for (i = 0; i < N; i++) {
    if (k[i] < 0 || k[i] >= 8) {
      fprintf(stderr, "index %d\n", k[i]);
      exit(1);
    }
    histogram[k[i]]++;
  }
}

static int ends_in_the_loop(int limit) {
  int i, steps = 0;
  // expect: ANY fn=ends_in_the_loop
  for (i = 0; i < N; i++) {
    if (a[i] > limit)
      exit(0);
    steps += k[i];
  }
  return steps;
}

static int found(void) {
  int i;
  bool any = false, all = true;
  int flag = 0, good = 1;
  // expect: DOALL_REDUCTION(|:any) fn=found
  // clauses: reduction(|:any)
  for (i = 0; i < N; i++)
    any |= a[i] > 60;
  // expect: DOALL_REDUCTION(&:all) fn=found
  // clauses: reduction(&:all)
  for (i = 0; i < N; i++)
    all &= a[i] >= 0;
  // expect: DOALL_REDUCTION(|:flag) fn=found
  // clauses: reduction(|:flag)
  for (i = 0; i < N; i++)
    if (a[i] > 60)
      flag = 1;
  // expect: DOALL_REDUCTION(&:good) fn=found
  // clauses: reduction(&:good)
  for (i = 0; i < N; i++)
    if (a[i] < 0)
      good = 0;
  return any + all * 2 + flag * 4 + good * 8;
}

static int last_found(void) {
  int i, last = -1;
  // expect: DOALL fn=last_found
  // clauses: words -- whether an iteration sets last is only known when all have run
  for (i = 0; i < N; i++)
    if (a[i] > 60)
      last = i;
  return last;
}

static int few_bits(void) {
  int i;
  short sum = 0, most = -1;
  unsigned char parity = 0, least = 255;
  float f = 0;
  // expect: DOALL_REDUCTION(+:sum) fn=few_bits
  // clauses: reduction(+:sum)
  for (i = 0; i < N; i++)
    sum += sh[i];
  // expect: DOALL_REDUCTION(^:parity) fn=few_bits
  // clauses: reduction(^:parity)
  for (i = 0; i < N; i++)
    parity ^= by[i];
  // expect: DOALL_REDUCTION(max:most) fn=few_bits
  // clauses: reduction(max:most)
  for (i = 0; i < N; i++)
    most = most > sh[i] ? most : sh[i];
  // expect: DOALL_REDUCTION(min:least) fn=few_bits
  // clauses: reduction(min:least)
  for (i = 0; i < N; i++)
    if (by[i] < least)
      least = by[i];
  // expect: DOALL_REDUCTION(+:f) fn=few_bits
  // clauses: reduction(+:f)
  for (i = 0; i < N; i++)
    f += a[i] * 0.25;
  // expect: DOALL_REDUCTION sp=64 fn=few_bits
  // clauses: reduction(|:bits)
  for (i = 0; i < N; i++)
    bits[i >> 3] |= 1 << (i & 7);
  // expect: DOALL_REDUCTION sp=64 fn=few_bits
  // clauses: reduction(+:single)
  for (i = 0; i < N; i++)
    single[k[i]] += a[i];
  return sum + parity + most + least + (int)f;
}

static double kept(void) {
  int i;
  // expect: DOALL_REDUCTION(max:largest) fn=kept
  // clauses: unchecked reduction(max:largest) -- no value may be a NaN, which replaces it
  for (i = 0; i < N; i++)
    largest = largest > a[i] ? largest : a[i];
  // expect: DOALL_REDUCTION sp=36 fn=kept
  // clauses: words -- a member
  for (i = 0; i < N; i++)
    extremes.least = w[i] - 5 < extremes.least ? w[i] - 5 : extremes.least;
  // expect: DOALL fn=kept
  // clauses:
  for (i = 0; i < N; i++)
    w[i] = w[i] > a[i] ? w[i] : a[i];
  return largest + extremes.least;
}

static int cut(void) {
  int i, s = 100000;
  // expect: CARRIED fn=cut
  // carried: s +1->+1 distance 1
  // what is cut to 16 bits in every iteration is no sum of ints
  for (i = 0; i < N; i++)
    s = (short)(s + sh[i]);
  return s;
}

static unsigned other_signedness(void) {
  int i;
  unsigned m = 4000000000u;
  // expect: CARRIED fn=other_signedness
  // carried: m +2->+1 distance 1..56
  // compared as an int, which no clause does
  for (i = 0; i < N; i++)
    if ((int)m < k[i])
      m = k[i];
  return m;
}

int main(void) {
  int i;
  // expect: DOALL fn=main
  // clauses:
  for (i = 0; i < N; i++) {
    a[i] = i;
    sh[i] = i * 3;
    by[i] = i * 7;
    k[i] = i % 8;
  }
  asserted();
  indices_checked();
  printf("%d %d %d %d\n", ends_in_the_loop(1000), found(), last_found(), few_bits());
  printf("%g\n", kept());
  printf("%d %u %d %g\n", cut(), other_signedness(), bits[3], single[2] + w[5] + histogram[1]);
  return 0;
}
