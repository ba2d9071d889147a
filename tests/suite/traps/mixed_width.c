// levels: O0 O1 O3
// A wide load sees narrow stores, a narrow load sees a wide store, unaligned and overlapping accesses see each other.
#include <stdint.h>
#include <string.h>
enum { N = 32 };
static union {
  uint64_t whole;
  uint32_t half[2];
  uint16_t quarter[4];
  uint8_t byte[8];
  double real;
} u;
static unsigned char raw[64];
static struct { uint8_t tag; } __attribute__((packed)) tags[4 * N];

static void wide_load_narrow_store(void) {
  // expect: SERIAL sp=1 cp=32*9
  // load 8 bytes 4, shift 1, multiply 3, store its upper 4 bytes 1
  for (int i = 0; i < N; i++)
    u.half[1] = (uint32_t)(u.whole >> 7) * 3u;
}

static void narrow_load_wide_store(void) {
  // expect: SERIAL sp=1 cp=32*8
  // load 4 bytes 4, multiply 3, store 8 bytes 1
  for (int i = 0; i < N; i++)
    u.whole = (uint64_t)u.half[1] * 3u;
}

static void two_narrow_stores(void) {
  // expect: SERIAL sp=1 cp=32*8
  // the wide load waits for the later of two stores: load 4, multiply 3 (shift 1 beside it), store 1
  for (int i = 0; i < N; i++) {
    uint64_t x = u.whole;
    u.half[0] = (uint32_t)x >> 1;
    u.half[1] = (uint32_t)x * 3u;
  }
}

static void byte_to_word(void) {
  // expect: SERIAL sp=1 cp=32*6
  // load 8 bytes 4, xor 1, store byte 5 of them 1
  for (int i = 0; i < N; i++)
    u.byte[5] = (uint8_t)(u.whole ^ 3);
}

static void word_to_byte(void) {
  // expect: SERIAL sp=1 cp=32*8
  // load byte 6 4, multiply 3, store 8 bytes 1
  for (int i = 0; i < N; i++)
    u.whole = (uint64_t)u.byte[6] * 257u;
}

static void other_byte(void) {
  // expect: DOALL sp=32 cp=8
  // loads byte 2, stores byte 3: they do not meet. load 4, multiply 3, store 1
  for (int i = 0; i < N; i++)
    u.byte[3] = u.byte[2] * 5;
}

static void quarter_to_double(void) {
  // expect: SERIAL sp=1 cp=32*10
  // load a double 4, convert 4, xor 1, store two of its bytes 1
  for (int i = 0; i < N; i++)
    u.quarter[1] = (uint16_t)((int)u.real ^ 5);
}

static void unaligned(void) {
  // expect: SERIAL sp=1 cp=32*8
  // 4 bytes at 5 (across two 8-byte granules) from 4 bytes at 3, which overlap in 2 bytes
  for (int i = 0; i < N; i++) {
    uint32_t x;
    memcpy(&x, raw + 3, 4);
    x *= 3u;
    memcpy(raw + 5, &x, 4);
  }
}

static void unaligned_apart(void) {
  // expect: DOALL sp=32 cp=8
  // 4 bytes at 9 from 4 bytes at 5: neighbours, no overlap
  for (int i = 0; i < N; i++) {
    uint32_t x;
    memcpy(&x, raw + 5, 4);
    x *= 3u;
    memcpy(raw + 9, &x, 4);
  }
}

static void bytes_in_a_row(void) {
  // expect: DOALL sp=32
  // four byte stores per word, read back as the word within the iteration
  for (int i = 0; i < N; i++) {
    uint32_t x;
    tags[4 * i].tag = 1;
    tags[4 * i + 1].tag = 2;
    tags[4 * i + 2].tag = 3;
    tags[4 * i + 3].tag = 4;
    memcpy(&x, &tags[4 * i], 4);
    u.half[0] = x;
  }
}

int main(void) {
  wide_load_narrow_store();
  narrow_load_wide_store();
  two_narrow_stores();
  byte_to_word();
  word_to_byte();
  other_byte();
  u.real = 1.5;
  quarter_to_double();
  unaligned();
  unaligned_apart();
  bytes_in_a_row();
  return 0;
}
