// levels: O0 O1 O3
// Reductions that do not stand alone: several updates of one object, other elements that are read, what is set together with a
// minimum; and what looks like one of these.
#include "show.h"
enum { N = 64, BINS = 8 };
static unsigned whole[BINS];
static int key[N], same[N], place[N], where, moves;
static double x[N], table[3 * BINS], counts[BINS], force[N], read_back[N];

static void two_updates(void) {
  // expect: DOALL_REDUCTION sp=64
  // clauses: reduction(+:force)
  // Newton's third law: both updates are additions, whichever elements meet
  for (int i = 0; i < N; i++) {
    double f = x[i] - x[key[i]];
    force[i] += f;
    force[place[i]] -= f;
  }
}

static void two_operators(void) {
  // expect: DOACROSS
  // carried: force[] +1->+2 distance 1..63
  // carried: force[] +2->+1 distance 1..63
  // one adds to what the other multiplied
  for (int i = 0; i < N; i++) {
    force[place[i]] += x[i];
    force[place[N - 1 - i]] *= 0.5;
  }
}

static void read_elsewhere(void) {
  // expect: DOALL_REDUCTION sp=64
  // clauses: words -- a copy of table for each thread would lack the elements that are read
  // the first eight elements are updated, others are read
  for (int i = 0; i < N; i++)
    table[key[i]] += table[BINS + i % BINS] * x[i];
}

static void read_afterwards(double *t) {
  // expect: DOALL_REDUCTION sp=64
  // clauses: words -- as above
  for (int i = 0; i < N; i++) {
    t[key[i]] += x[i];
    read_back[i] = t[2 * BINS + i % BINS];
  }
}

static void rank(double *c) {
  // expect: SERIAL
  // carried: c[] +1->+1 distance 8
  // carried: c[] +1->+2 distance 1
  // same[] equals key[]: what is read is the count so far, although only this iteration wrote it last
  for (int i = 0; i < N; i++) {
    c[key[i]] += 1;
    read_back[i] += c[same[i]];
  }
}

static void reset(void) {
  // expect: DOACROSS
  // carried: counts[] +2->+1 distance 1
  // the neighbour is set, not added to
  for (int i = 0; i < N; i++) {
    counts[key[i]] += 1;
    counts[(key[i] + 1) % BINS] = 0;
  }
}

static void inner_rank(double *c) {
  // expect: SERIAL
  // carried: c[] +4->+4 distance 1
  // carried: c[] +4->+5 distance 1
  // what the inner loop reads are sums over the outer one's earlier iterations
  for (int i = 0; i < BINS; i++)
    // expect: SERIAL
    // carried: c[] +1->+2 distance 1
    for (int j = 1; j < BINS; j++) {
      c[key[j]] += x[i];
      read_back[i * BINS + j] = c[key[j - 1]];
    }
}

static double else_if(double *highest) {
  double lo = 1e300, hi = -1e300;
  // expect: SERIAL
  // carried: lo +2->+1 distance 1..30
  // carried: hi +4->+3 distance 1..33
  // whether an element is compared with the maximum depends on the running minimum
  for (int i = 0; i < N; i++) {
    if (x[i] < lo)
      lo = x[i];
    else if (x[i] > hi)
      hi = x[i];
  }
  *highest = hi;
  return lo;
}

static int how_often(void) {
  double lo = 1e300;
  int n = 0;
  // expect: SERIAL
  // carried: lo +2->+1 distance 1..30
  // how often a minimum is replaced depends on the order
  for (int i = 0; i < N; i++)
    if (x[i] < lo) {
      lo = x[i];
      n++;
    }
  return n;
}

static double where_lowest(void) {
  double lo = 1e300;
  // expect: DOALL_REDUCTION(min:lo)
  // clauses: words -- where is set together with lo
  for (int i = 0; i < N; i++)
    if (x[i] < lo) {
      lo = x[i];
      where = i;
    }
  return lo;
}

static double moves_lowest(void) {
  double lo = 1e300;
  // expect: DOALL_REDUCTION(min:lo)
  // clauses: words -- the same, where the position was set once
  for (int i = 0; i < N; i++)
    if (-x[i] < lo) {
      lo = -x[i];
      moves = i;
    }
  return lo;
}

struct extreme {
  double low;
  int at, times;
  struct place { int x, y; } where;
};
static struct place places[N];

static void count_in_memory(struct extreme *e) {
  // expect: DOACROSS
  // carried: e->low +2->+1 distance 1..30
  // how often it was replaced is no position
  for (int i = 0; i < N; i++)
    if (x[i] < e->low) {
      e->low = x[i];
      e->times++;
    }
}

static double copy_place(struct place *best) {
  double lo = 1e300;
  // expect: DOALL_REDUCTION(min:lo)
  // clauses: words -- a structure is copied together with lo
  for (int i = 0; i < N; i++)
    if (x[i] < lo) {
      lo = x[i];
      *best = places[i];
    }
  return lo;
}

static void two_widths(void) {
  unsigned char *bytes = (unsigned char *)whole;
  // expect: DOACROSS
  // carried: whole[] +1->+2 distance 1..7
  // carried: whole[] +2->+1 distance 1..7
  // carried: whole[] +1->+1 distance 8
  // additions to words and to bytes of the same words
  for (int i = 0; i < N; i++) {
    whole[key[i]] += 100;
    bytes[4 * key[N - 1 - i]] += 100;
  }
}

int main(void) {
  for (int i = 0; i < N; i++) {
    key[i] = same[i] = i % BINS;
    place[i] = (i * 5 + 3) % N;
    places[i].x = places[i].y = i;
    x[i] = i == 0 ? 2000 : i * 37 % 101 * 0.5;
  }
  for (int i = 0; i < 3 * BINS; i++)
    table[i] = 0.25 * i;
  two_updates();
  two_operators();
  read_elsewhere();
  read_afterwards(table);
  rank(counts);
  reset();
  inner_rank(table);
  double highest, lowest = else_if(&highest), lo = where_lowest(), moved = moves_lowest();
  int n = how_often();
  struct extreme e = {1e300, 0, 0, {0, 0}};
  struct place best = {0, 0};
  count_in_memory(&e);
  copy_place(&best);
  two_widths();
  SHOW(e.times), SHOW(best), SHOW(whole);
  SHOW(force), SHOW(table), SHOW(counts), SHOW(read_back), SHOW(lowest), SHOW(highest), SHOW(lo), SHOW(where), SHOW(moved);
  SHOW(moves), SHOW(n);
  return 0;
}
