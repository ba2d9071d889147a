/* Run-length coding, delta coding, move to front, base64, bit packing. */
#include <stdio.h>
#include <string.h>
#define N 6000
static unsigned char src[N], rle[2 * N], back[N], delta[N], mtf[N], b64[2 * N];
static unsigned packed[N];

int main(void) {
  int i, j, k, at = 0, n = 0;
  unsigned char order[256], prev = 0;
  const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned h = 0;
  for (i = 0; i < N; i++)
    src[i] = i / 5 * 7 % 31;
  for (i = 0; i < N; i += k) {
    for (k = 1; i + k < N && k < 255 && src[i + k] == src[i]; k++)
      ;
    rle[at++] = k;
    rle[at++] = src[i];
  }
  for (i = 0; i < at; i += 2)
    for (j = 0; j < rle[i]; j++)
      back[n++] = rle[i + 1];
  for (i = 0; i < N; i++) {
    delta[i] = src[i] - prev;
    prev = src[i];
  }
  for (i = 0; i < 256; i++)
    order[i] = i;
  for (i = 0; i < N; i++) {
    for (j = 0; order[j] != src[i]; j++)
      ;
    mtf[i] = j;
    for (; j > 0; j--)
      order[j] = order[j - 1];
    order[0] = src[i];
  }
  for (i = 0; i < N / 3; i++) {
    unsigned v = src[3 * i] << 16 | src[3 * i + 1] << 8 | src[3 * i + 2];
    for (j = 0; j < 4; j++)
      b64[4 * i + j] = digits[v >> (18 - 6 * j) & 63];
  }
  for (i = 0; i < N; i++)
    packed[i * 5 / 32] ^= (src[i] & 31u) << (i * 5 % 32);
  for (i = 0; i < N; i++)
    h = h * 31 + delta[i] + 3 * mtf[i] + 5 * b64[i] + packed[i];
  printf("%d %d %d %u\n", at, n, memcmp(src, back, N), h);
  return 0;
}
