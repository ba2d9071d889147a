// levels: O0 O1 O3
// Bit fields, unions, packed structs, struct copies.
#include "show.h"
#include <string.h>
enum { N = 64 };
static struct bits { unsigned char low : 4, high : 4; } nibble[N];
static union either { float f; unsigned u; } either[N];
static struct __attribute__((packed)) odd { char tag; int value; } odd[N];
static struct record { long key; double payload[4]; } from[N], to[N + 1];
static float f[N];
static unsigned u[N];

static void bit_fields(void) {
  // expect: DOALL sp=64
  // clauses:
  // every struct is one byte: load, mask, add, merge with the reloaded byte, store; neighbours do not meet
  for (int i = 0; i < N; i++)
    nibble[i].high = nibble[i].low + 1;
}

static void bit_field_chain(void) {
  // expect: SERIAL sp=63*12/(63*11+1)
  // carried: nibble[] +1->+1 distance 1
  // reads the field of the struct before: load 4, and 1, multiply 3, and 1, or 1, store 1 = 11; i - 1 takes 1
  for (int i = 1; i < N; i++)
    nibble[i].low = nibble[i - 1].low * 3;
}

static void unions(void) {
  // expect: DOALL sp=64 cp=16
  // clauses:
  // load 4, store as float 1, load as unsigned 4, xor 1, store 1, reload 4, store 1
  for (int i = 0; i < N; i++) {
    either[i].f = f[i];
    either[i].u = either[i].u ^ 0x80000000u;
    u[i] = either[i].u;
  }
}

static void local_union(void) {
  // expect: DOALL sp=64 cp=6
  // clauses:
  // in registers: load 4, xor 1, store 1
  for (int i = 0; i < N; i++) {
    union either e;
    e.f = f[i];
    u[i] = e.u ^ 0x80000000u;
  }
}

static void packed(void) {
  // expect: DOALL sp=64 cp=6
  // clauses:
  // unaligned 4-byte fields 5 bytes apart
  for (int i = 0; i < N; i++)
    odd[i].value = odd[i].tag + 1;
}

static void copies(void) {
  // expect: DOALL sp=64 cp=5
  // clauses:
  // one copy of 40 bytes: load 4, store 1
  for (int i = 0; i < N; i++)
    to[i] = from[i];
}

static void copy_chain(void) {
  // expect: SERIAL sp=64*6/(64*5+1) cp=64*5+1
  // carried: to[] +1->+1 distance 1
  // every struct is copied from the one before: load 4, store 1; i + 1 takes 1
  for (int i = 0; i < N; i++)
    memcpy(&to[i + 1], &to[i], sizeof to[0]);
}

static void modify_copy(void) {
  // expect: DOALL sp=64
  // clauses:
  // copy, change one field, copy back
  for (int i = 0; i < N; i++) {
    struct record r;
    memcpy(&r, &from[i], sizeof r);
    r.payload[2] = r.payload[1] * 2;
    memcpy(&to[i], &r, sizeof r);
  }
}

int main(void) {
  for (int i = 0; i < N; i++) {
    f[i] = (float)i;
    from[i].payload[1] = i;
    nibble[i].low = 3;
    odd[i].tag = 1;
  }
  bit_fields();
  bit_field_chain();
  unions();
  local_union();
  packed();
  copies();
  copy_chain();
  modify_copy();
  SHOW(nibble), SHOW(either), SHOW(f), SHOW(u);
  return 0;
}
