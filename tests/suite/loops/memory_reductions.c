// levels: O0 O1 O3
// Reductions whose accumulator lives in memory.
#include "show.h"
enum { N = 64, BINS = 8 };
static int a[N], key[N], hist[BINS], total, lowest = 1 << 30;
static double m[N][BINS], column[BINS];
static unsigned words[2];
static struct { long count; double mass; } account;

static void global(void) {
  // expect: DOALL_REDUCTION(+:total) sp=64
  // clauses: reduction(+:total)
  // load a[i] 4, then load 4, add 1 and store 1 of the accumulator: 10 in every iteration, and no chain
  for (int i = 0; i < N; i++)
    total += a[i];
}

static void through_pointer(int *out) {
  // expect: DOALL_REDUCTION sp=64
  // clauses: reduction(+:out[:1])
  for (int i = 0; i < N; i++)
    *out += a[i];
}

static void field(void) {
  // expect: DOALL_REDUCTION sp=64
  // clauses: words -- clauses name whole structs, not members
  // two fields of one struct, two reductions
  for (int i = 0; i < N; i++) {
    account.count += 1;
    account.mass += m[i][0];
  }
}

static void histogram(void) {
  // expect: DOALL_REDUCTION sp=64
  // clauses: reduction(+:hist)
  // eight bins for 64 keys, all conflicts are additions
  for (int i = 0; i < N; i++)
    hist[key[i]]++;
}

static void columns(void) {
  // expect: DOALL_REDUCTION sp=64
  // clauses: reduction(+:column)
  // the whole of column[] is the accumulator of the outer loop
  for (int i = 0; i < N; i++)
    // expect: DOALL sp=8
    // clauses:
    // each inner iteration has an element of its own
    for (int j = 0; j < BINS; j++)
      column[j] += m[i][j];
}

static void bit_set(void) {
  // expect: DOALL_REDUCTION sp=64
  // clauses: reduction(|:words)
  // 32 bits share a word, but all that happens to it is |=
  for (unsigned i = 0; i < N; i++)
    words[i / 32] |= 1u << (i % 32);
}

static void in_place(void) {
  // expect: DOALL sp=64
  // clauses:
  // a[i] += c looks like a reduction but every iteration has its own element
  for (int i = 0; i < N; i++)
    a[i] += 3;
}

static void branch_minimum(void) {
  // expect: DOALL_REDUCTION(min:lowest)
  // clauses: reduction(min:lowest)
  // the minimum in memory and written as a branch
  for (int i = 0; i < N; i++)
    if (a[i] < lowest)
      lowest = a[i];
}

static int valid_lowest = 1 << 30, where_valid;

static void valid_minimum(void) {
  // expect: DOALL_REDUCTION(min:valid_lowest)
  // clauses: reduction(min:valid_lowest)
  for (int i = 0; i < N; i++)
    if (a[i] < valid_lowest && key[i] > 2)
      valid_lowest = a[i];
}

static void valid_position(void) {
  // expect: DOALL_REDUCTION(min:valid_lowest)
  // clauses: words -- value and position are one reduction, in globals
  for (int i = 0; i < N; i++)
    if (a[i] < valid_lowest)
      if (key[i] > 3 && m[i][0] < 50) {
        valid_lowest = a[i];
        where_valid = i;
      }
}

static void set_before_it_is_valid(void) {
  // expect: DOACROSS
  // carried: valid_lowest +4->+1 distance any
  // where it was asked last shows how the minimum stood
  for (int i = 0; i < N; i++)
    if (a[i] < valid_lowest) {
      where_valid = i;
      if (key[i] > 3)
        valid_lowest = a[i];
    }
}

struct range {
  int low, high, where;
};

static void branch_range(struct range *r) {
  // expect: DOALL_REDUCTION
  // clauses: words -- clauses name whole structs, not members
  for (int i = 0; i < N; i++) {
    if (r->low > a[i])
      r->low = a[i];
    if (a[i] > r->high)
      r->high = a[i];
  }
}

static void branch_position(struct range *r) {
  // expect: DOALL_REDUCTION
  // clauses: words -- value and position are one reduction, in a structure that no clause can name
  for (int i = 0; i < N; i++)
    if (a[i] < r->low) {
      r->low = a[i];
      r->where = i;
    }
}

static int read_inside(int *seen) {
  // expect: SERIAL sp=64*11/(64*6+5)
  // carried: total +1->+1 distance 1
  // the running total is read by others in the loop: no reduction. load a[i] and total 4, add 1, store 1 (chain 6);
  // reload 4, store 1
  for (int i = 0; i < N; i++) {
    total += a[i];
    seen[i] = total;
  }
  return total;
}

static unsigned z[N];

static void row_of_itself(int first, int end) {
  for (int i = first; i < end; i++) // (serial)
    // expect: DOALL_REDUCTION
    // clauses: words -- a clause for part of an array would give z[j] another place
    // the elements that are read are others than the one that is reduced, which the run decides
    for (int j = 0; j < i; j++)
      z[i] += z[j] * 3 + (unsigned)a[j];
}

static void row_with_itself(int i) {
  // expect: SERIAL
  // carried: z[] +1->+1 distance any
  // one of the elements that are read is the reduced one: behind it the value is a sum over earlier iterations
  for (int j = 0; j < N; j++)
    z[i] += z[j] * 3;
}

int main(void) {
  static int seen[N], out;
  for (int i = 0; i < N; i++) {
    a[i] = i % 7;
    key[i] = i % BINS;
    for (int j = 0; j < BINS; j++)
      m[i][j] = i + j;
  }
  global();
  through_pointer(&out);
  field();
  histogram();
  columns();
  bit_set();
  in_place();
  branch_minimum();
  valid_minimum();
  valid_lowest = 99;
  valid_position();
  SHOW(valid_lowest), SHOW(where_valid);
  valid_lowest = 99;
  set_before_it_is_valid();
  SHOW(valid_lowest), SHOW(where_valid);
  struct range range = {99, -99, 0};
  branch_range(&range);
  range.low = 99;
  branch_position(&range);
  for (int i = 0; i < N; i++)
    z[i] = i + 1;
  row_of_itself(1, N);
  row_with_itself(5);
  SHOW(z), SHOW(hist), SHOW(total), SHOW(lowest), SHOW(column), SHOW(words), SHOW(account), SHOW(seen), SHOW(out), SHOW(range);
  return read_inside(seen) > 0 ? 0 : 1;
}
