// levels: O0 O1 O3
// memcpy, memmove, memset, struct copies, vector types and atomics move times.
#include <stdatomic.h>
#include <string.h>
enum { N = 16 };
typedef int v4 __attribute__((vector_size(16)));
static struct s { int v[12]; } chain[N + 1], apart[N];
static unsigned char buffer[16], zeroed[64];
static v4 accumulator, deltas[N];
static union { v4 v; int lane[4]; } mixed;
static atomic_int counter;
static int out[N];
static long cell;

static void copy(void) {
  // expect: SERIAL sp=16*6/(16*5+1) cp=16*5+1
  // load 4, store 1; i + 1 takes 1 before the first
  for (int i = 0; i < N; i++)
    memcpy(&chain[i + 1], &chain[i], sizeof chain[0]);
}

static void assign(void) {
  // expect: SERIAL sp=16*6/(16*5+1) cp=16*5+1
  for (int i = 0; i < N; i++)
    chain[i + 1] = chain[i];
}

static void copy_apart(void) {
  // expect: DOALL sp=16 cp=5
  for (int i = 0; i < N; i++)
    apart[i] = chain[i];
}

static void part_of_copy(void) {
  // expect: SERIAL sp=1 cp=16*(5+4+3+1)
  // only the changed field is on the chain: copy 5, load 4, multiply 3, store 1
  for (int i = 0; i < N; i++) {
    memcpy(&chain[1], &chain[0], sizeof chain[0]);
    chain[0].v[7] = chain[1].v[7] * 3;
  }
}

static void other_part_of_copy(void) {
  // expect: DOACROSS sp=16*13/(13+5) cp=13+5
  // field 8 is read, field 7 is written: a copy keeps the fields' times apart, so there is no chain; but each copy still
  // reads the field 7 of the iteration before (13, then load 4, store 1)
  for (int i = 0; i < N; i++) {
    memcpy(&chain[1], &chain[0], sizeof chain[0]);
    chain[0].v[7] = chain[1].v[8] * 3;
  }
}

static void move(void) {
  // expect: SERIAL sp=16*11/92
  // overlapping: byte 15 comes from byte 14 of the iteration before, and so on, 5 per move (load 4, store 1); load 4, add 1,
  // store 1 behind it = 11. In the last iteration byte 15 is the one stored first (11) and moved 15 times (75), then 6
  for (int i = 0; i < N; i++) {
    memmove(buffer + 1, buffer, 15);
    buffer[0] = buffer[15] + 1;
  }
}

static void set(void) {
  // expect: DOALL sp=16 cp=9
  // memset overwrites what the iteration before left behind: store 1, load 4, multiply 3, store 1
  for (int i = 0; i < N; i++) {
    memset(zeroed, 0, sizeof zeroed);
    zeroed[40] = zeroed[41] * 3;
    out[i] = 0;
  }
}

static void vectors(void) {
  // expect: SERIAL sp=1 cp=16*6
  // load 4, subtract 1, store 1; no reduction, the accumulator is subtracted
  for (int i = 0; i < N; i++)
    accumulator = deltas[i] - accumulator;
}

static void vector_lane(void) {
  // expect: SERIAL sp=1 cp=16*8
  // an element of the stored vector is loaded as a scalar: load 4, multiply 3, store 1
  for (int i = 0; i < N; i++) {
    int x = mixed.lane[2] * 3;
    mixed.v = (v4){x, x, x, x};
  }
}

static void fetch_add(void) {
  // expect: SERIAL sp=16*9/(16*8+1)
  // atomic 8 on the chain, store 1 behind it
  for (int i = 0; i < N; i++)
    out[i] = atomic_fetch_add(&counter, 3);
}

static void compare_exchange(void) {
  // expect: SERIAL sp=16*10/(10+15*8)
  // every attempt takes what the one before left in memory: atomic 8; the first waits for i + 48 + 1, two additions
  for (int i = 0; i < N; i++) {
    int want = i + 16 * 3;
    atomic_compare_exchange_strong(&counter, &want, want + 1);
  }
}

static void volatile_chain(void) {
  volatile long *p = &cell;
  // expect: SERIAL sp=1 cp=16*8
  // load 4, multiply 3, store 1
  for (int i = 0; i < N; i++)
    *p = *p * 3;
}

int main(void) {
  copy();
  assign();
  copy_apart();
  part_of_copy();
  other_part_of_copy();
  move();
  set();
  vectors();
  vector_lane();
  fetch_add();
  compare_exchange();
  volatile_chain();
  return 0;
}
