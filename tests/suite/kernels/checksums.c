/* CRC, Adler, Fletcher, FNV, XOR over buffers and by blocks. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define SIZE 16384
#define BLOCKS 32
static uint8_t buf[SIZE];
static uint32_t crc_table[256], sums[BLOCKS];

static void make_table(void) {
  uint32_t c;
  int n, k;
  for (n = 0; n < 256; n++) {
    c = n;
    for (k = 0; k < 8; k++)
      c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    crc_table[n] = c;
  }
}

static uint32_t crc(const uint8_t *p, int n) {
  uint32_t c = ~0u;
  while (n--)
    c = crc_table[(c ^ *p++) & 255] ^ (c >> 8);
  return ~c;
}

static uint32_t adler(const uint8_t *p, int n) {
  uint32_t a = 1, b = 0;
  int i;
  for (i = 0; i < n; i++) {
    a = (a + p[i]) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

int main(void) {
  int i;
  uint32_t x = 0, all = 0;
  uint64_t sum = 0;
  unsigned bits = 0;
  for (i = 0; i < SIZE; i++)
    buf[i] = i * 31 ^ i >> 5;
  make_table();
  for (i = 0; i < BLOCKS; i++)
    sums[i] = crc(buf + i * (SIZE / BLOCKS), SIZE / BLOCKS);
  for (i = 0; i < SIZE; i++) {
    x ^= buf[i] << (i % 24);
    sum += buf[i];
    bits |= 1u << (buf[i] & 31);
  }
  for (i = 0; i < BLOCKS; i++)
    all = all * 33 + sums[i];
  printf("%08x %08x %08x %08x %llu %08x\n", crc(buf, SIZE), adler(buf, SIZE), all, x, (unsigned long long)sum, bits);
  return 0;
}
