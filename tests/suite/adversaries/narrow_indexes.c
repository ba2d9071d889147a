/* Indexes that wrap around on their way to the bound, which those of parallel loops do not. */
#include <stdio.h>
#include <stdint.h>
static int cnt[256];
int main(void) {
  long s = 0;
  for (uint8_t i = 0; i < 250; i += 100)
    cnt[i]++;
  for (uint32_t i = 0; i < 0xF0000000u; i += 0x30000001u)
    s += i >> 16;
  for (int8_t i = 5; i != 3; i++)
    cnt[(uint8_t)i] += 5;
  for (uint8_t i = 250; i != 5; i++)
    cnt[i] += 7;
  for (int i = 0; i < 256; i++) s = s * 31 + cnt[i];
  printf("%ld\n", s);
}
