// levels: O0 O1 O3
// Dependences of a few iterations only, and things that look like one and are none.
#include "show.h"
enum { N = 64 };
static int v[N + 8], out[N], slot, tail, mark, hits[N], x[N + 8], y[N], where[N], perm[N], twice[N], line[N + 1];

static void first_to_second(void) {
  // expect: CARRIED
  // carried: slot +2->+4 distance 1
  for (int i = 0; i < N; i++) {
    if (i == 0)
      slot = v[0];
    else if (i == 1)
      out[i] = slot;
    else
      out[i] = v[i];
  }
}

static void first_to_last(void) {
  // expect: CARRIED
  // carried: hits +1->+3 distance 63
  for (int i = 0; i < N; i++) {
    hits[i] = v[i] * 2;
    if (i == N - 1)
      tail = hits[0];
  }
}

static void every_eighth(void) {
  // expect: CARRIED
  // carried: mark +2->+3 distance 1..7
  for (int i = 0; i < N; i++) {
    if (i % 8 == 0)
      mark = v[i];
    y[i] = v[i] + mark;
  }
}

static void every_eighth_own(void) {
  int own;
  // expect: DOALL
  // clauses: private(own)
  // written and read by the same iteration
  for (int i = 0; i < N; i++) {
    if (i % 8 == 0) {
      own = v[i] * 3;
      y[i] += own;
    } else
      y[i]++;
  }
}

static void never_this_time(int limit) {
  int carry = 5;
  // expect: DOACROSS
  // carried: none -- nothing is larger than the limit in this run; only the tests wait for each other
  // on this input nothing is larger than the limit, and what is read comes from before the loop; but whether it does is decided by
  // the iterations before, whose tests come first
  for (int i = 0; i < N; i++) {
    if (v[i] > limit)
      carry = i;
    out[i] += carry + v[i];
  }
}

static void never_in_memory(int limit) {
  slot = 9;
  // expect: DOALL
  // clauses: words -- whether slot keeps its value from before the loop is only known when all iterations have run
  // proposal: private(slot) firstprivate(limit) -- whether every iteration sets it has to be looked at
  for (int i = 0; i < N; i++) {
    if (v[i] > limit)
      slot = i;
    out[i] ^= slot * v[i];
  }
}

static void second_time(int k) {
  // expect: CARRIED
  // carried: x +1->+1 distance 1
  // called with 0 (each iteration its own element) and then with 1
  for (int i = 1; i < N; i++)
    x[i] = x[i - k] * 3 % 1009 + i;
}

static void one_odd_index(void) {
  // expect: CARRIED
  // carried: twice +1->+1 distance 35
  // where[40] is 5, all others are their own
  for (int i = 0; i < N; i++)
    twice[i] = twice[where[i]] + v[i];
}

static void scattered(void) {
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++)
    hits[perm[i]] = v[i] + i;
}

static void gathered(void) {
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++)
    y[i] = hits[perm[i]] * 2;
}

static void overlapping_reads(void) {
  // expect: DOALL
  // clauses:
  // every element is read by three iterations and written by none
  for (int i = 0; i < N; i++)
    out[i] = v[i] + v[i + 1] * 2 + v[i + 2];
}

static void sum_beside(void) {
  int count = 0, high = 0;
  // expect: CARRIED
  // carried: count +1->+1 distance 1..3
  // carried: count +1->+4 distance 1..2
  // the count would be a reduction if only the end mattered, but it is stored
  for (int i = 0; i < N; i++) {
    if (v[i] & 1)
      count++;

    y[i] = count;
    high |= v[i];
  }
  y[0] += high;
}

static void halves(void) {
  // expect: DOALL
  // clauses:
  // reads the upper half, writes the lower
  for (int i = 0; i < N / 2; i++)
    line[i] = line[i + N / 2] + 1;
}

static void over_the_middle(void) {
  // expect: CARRIED
  // carried: line +1->+1 distance 32
  // from the middle on it reads what it wrote
  for (int i = 0; i < N; i++)
    line[i] = line[(i + N / 2) % N] + 1;
}

static void even_odd(void) {
  // expect: DOALL
  // clauses:
  for (int i = 1; i < N; i += 2)
    line[i] = line[i - 1] + line[i + 1];
}

int main(void) {
  for (int i = 0; i < N + 8; i++)
    v[i] = i * 7 % 23;
  for (int i = 0; i < N; i++) {
    where[i] = i == 40 ? 5 : i;
    perm[i] = i * 13 % N;
  }
  first_to_second();
  first_to_last();
  every_eighth();
  every_eighth_own();
  never_this_time(1000);
  never_in_memory(1000);
  second_time(0);
  second_time(1);
  one_odd_index();
  scattered();
  gathered();
  overlapping_reads();
  sum_beside();
  halves();
  over_the_middle();
  even_odd();
  SHOW(out), SHOW(hits), SHOW(y), SHOW(x), SHOW(twice), SHOW(line), SHOW(tail);
  return 0;
}
