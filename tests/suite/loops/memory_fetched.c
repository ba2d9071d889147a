// levels: O1 O3
// Reductions in arrays whose address every iteration fetches anew; at -O0 nothing says that the counters are not the address.
#include "show.h"
enum { N = 64, BINS = 8 };
static int key[N], bins[BINS];
struct table {
  int *counts;
};

static void fetched(struct table *t) {
  // expect: DOALL_REDUCTION sp=64
  // clauses: words -- the counters are reached through a member: no variable that a clause could name
  for (int i = 0; i < N; i++)
    t->counts[key[i]]++;
}

static void moved(struct table *t) {
  // expect: SERIAL
  // carried: t->counts +2->+1 distance 1
  // carried: t->counts +2->+2 distance 1
  // carried: t->counts[] +1->+1 distance 1..15
  // each iteration says where the next one counts
  for (int i = 0; i < N; i++) {
    t->counts[0]++;
    t->counts = &bins[t->counts[0] % BINS];
  }
}

int main(void) {
  for (int i = 0; i < N; i++)
    key[i] = i % BINS;
  struct table t = {bins};
  fetched(&t);
  moved(&t);
  SHOW(bins);
  return bins[1] > 0 ? 0 : 1;
}
