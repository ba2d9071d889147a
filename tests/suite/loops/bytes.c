// levels: O0 O1 O3
// Dependences by bytes: copies, unions, bit fields, words made of bytes and bytes of words. What counts is who wrote the byte.
#include "show.h"
#include <string.h>
enum { N = 64 };
static double a[N + 1][8], v[N], wide[N];
static int out[N], words[N];
static unsigned char by[4 * N + 8], small[N];
static struct { unsigned low : 4, high : 4; } fields[N], one;
static union { float f; unsigned u; } both;
static struct { short low, high; } pair[N + 1];
static struct record { char tag; double x, y; int k; } from[N], to[N];
static struct __attribute__((packed)) { unsigned char tag; unsigned value; unsigned short sum; } packed[N];
static int rows[N + 1][8], tmp[8], scratch[8], part[8];

static void copied_on(void) {
  // expect: CARRIED
  // carried: a +1->+1 distance 1
  for (int i = 0; i < N; i++) {
    memcpy(a[i + 1], a[i], sizeof a[0]);
    a[i][0] = i;
  }
}

static void copied_out(void) {
  // expect: DOALL
  // clauses: private(tmp)
  for (int i = 0; i < N; i++) {
    memcpy(tmp, rows[i], sizeof tmp);
    out[i] = tmp[3] + tmp[i & 7];
  }
}

static void moved_within(void) {
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++) {
    memmove(rows[i], rows[i] + 1, sizeof rows[0] - sizeof rows[0][0]);
    rows[i][7] = i;
  }
}

static void word_of_bytes(void) {
  // expect: CARRIED
  // carried: by +2->+3 distance 1..3
  // three of the four bytes were written by the iterations before
  for (int i = 3; i < N; i++) {
    int x;
    by[i] = i;
    memcpy(&x, by + i - 3, 4);
    words[i] = x;
  }
}

static void packed_elements(void) {
  // expect: DOALL
  // clauses:
  // elements of seven bytes: every word belongs to two iterations, and is read after this one wrote its part
  for (int i = 0; i < N; i++) {
    packed[i].tag = i;
    packed[i].value = i * 3;
    packed[i].sum = packed[i].tag + packed[i].value;
  }
  // expect: CARRIED
  // carried: packed[] +1->+1 distance 1
  for (int i = 1; i < N; i++) {
    packed[i].value += packed[i - 1].value;
    packed[i].tag = 1;
  }
}

static void byte_of_word(void) {
  // expect: CARRIED
  // carried: words +2->+4 distance 1
  for (int i = 0; i < N; i++) {
    unsigned char last = 0;
    words[i] = i * 0x01010101;
    if (i)
      last = ((unsigned char *)words)[4 * (i - 1) + 3];
    out[i] += last;
  }
}

static void half_of_double(void) {
  // expect: CARRIED
  // carried: wide +4->+2 distance 1
  for (int i = 1; i < N; i++) {
    int half;
    memcpy(&half, (char *)&wide[i - 1] + 4, 4);
    out[i] += half;
    wide[i] = v[i] + i;
  }
}

static void bytes_beside(void) {
  // expect: DOALL
  // clauses:
  // four iterations write bytes of one word, each its own
  for (int i = 0; i < N; i++) {
    small[i] = v[i] + 1;
    out[i] += small[i] * 2;
  }
}

static void halves_beside(void) {
  // expect: DOALL
  // clauses:
  // the upper halves are never written
  for (int i = 1; i <= N; i++) {
    pair[i].low = (short)i;
    out[i - 1] += pair[i - 1].high;
  }
}

static void own_bits(void) {
  // expect: DOALL
  // clauses:
  // writing a bit field reads its neighbour, in the same element
  for (int i = 0; i < N; i++)
    fields[i].low = i & 15;
}

static void shared_bits(void) {
  // expect: CARRIED
  // carried: one +1->+1 distance 1
  // the two fields lie in one byte: to write low, high is read and written back, and with it the byte of the iteration before
  for (int i = 0; i < N; i++) {
    one.low = i & 15;
    out[i] += one.high;
  }
}

static void union_own(void) {
  // expect: DOALL
  // clauses: private(both)
  for (int i = 0; i < N; i++) {
    both.f = (float)v[i];
    out[i] += both.u >> 23;
  }
}

static void union_carried(void) {
  both.u = 0;
  // expect: CARRIED
  // carried: both +2->+1 distance 1
  for (int i = 0; i < N; i++) {
    out[i] += both.u >> 23;
    both.f = (float)v[i] + 1;
  }
}

static void structs_with_padding(void) {
  // expect: DOALL
  // clauses:
  // t has the same place in every iteration; its padding is copied, and is nobody's value
  for (int i = 0; i < N; i++) {
    struct record t = from[i];
    t.x += 1;
    t.tag = (char)i;
    to[i] = t;
  }
}

static void cleared(void) {
  // expect: DOALL
  // clauses: private(scratch)
  for (int i = 0; i < N; i++) {
    memset(scratch, 0, sizeof scratch);
    for (int j = 0; j < N; j++)
      scratch[j & 7] += i ^ j;
    out[i] += scratch[i & 7];
  }
}

static void partly_cleared(void) {
  part[7] = 5;
  // expect: DOALL
  // clauses: firstprivate(part) lastprivate(part)
  // part[7] comes from before the loop
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < 7; j++)
      part[j] = i * j;
    out[i] += part[i & 7];
  }
}

static void swapped_bytes(void) {
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++) {
    unsigned char *p = (unsigned char *)&words[i], t = p[0];
    p[0] = p[3];
    p[3] = t;
  }
}

static void bytes_then_neighbour_word(void) {
  // expect: CARRIED
  // carried: by +1->+3 distance 1
  for (int i = 0; i < N; i++) {
    by[4 * i] = i;
    if (i)
      words[i] += ((int *)by)[i - 1];
  }
}

int main(void) {
  one.high = 3;
  for (int i = 0; i < N; i++) {
    v[i] = i * 3 % 17;
    from[i].x = v[i];
    fields[i].high = i & 15;
    pair[i].high = (short)(i * 5);
    for (int j = 0; j < 8; j++)
      rows[i][j] = i * j;
  }
  copied_on();
  copied_out();
  moved_within();
  word_of_bytes();
  packed_elements();
  byte_of_word();
  half_of_double();
  bytes_beside();
  halves_beside();
  own_bits();
  shared_bits();
  union_own();
  union_carried();
  structs_with_padding();
  cleared();
  partly_cleared();
  swapped_bytes();
  bytes_then_neighbour_word();
  double sum = 0;
  for (int i = 0; i < N; i++)
    sum += to[i].x * (i + 1) + to[i].tag + fields[i].low * 3 + fields[i].high;
  printf("%.3f\n", sum);
  SHOW(a), SHOW(out), SHOW(words), SHOW(rows), SHOW(wide), SHOW(small), SHOW(pair), SHOW(by), SHOW(packed);
  return 0;
}
