/* Blur, sharpen, median, histogram equalization on a grey image, scratch buffers static. */
#include <stdio.h>
#include <stdlib.h>
typedef unsigned char u8;
typedef struct { int w, h; u8 *px; } image;
static int hist[256];
static u8 lut[256];

static image *new_image(int w, int h) {
  image *im = malloc(sizeof *im);
  im->w = w;
  im->h = h;
  im->px = calloc(w * h, 1);
  return im;
}

static u8 clamp(int v) { return v < 0 ? 0 : v > 255 ? 255 : v; }

static void convolve(image *in, image *out, int k[3][3], int div) {
  int x, y, i, j, acc;
  for (y = 1; y < in->h - 1; y++)
    for (x = 1; x < in->w - 1; x++) {
      acc = 0;
      for (i = -1; i <= 1; i++)
        for (j = -1; j <= 1; j++)
          acc += k[i + 1][j + 1] * in->px[(y + i) * in->w + x + j];
      out->px[y * out->w + x] = clamp(acc / div);
    }
}

static void median(image *in, image *out) {
  static u8 win[9];
  int x, y, i, j, n;
  for (y = 1; y < in->h - 1; y++)
    for (x = 1; x < in->w - 1; x++) {
      n = 0;
      for (i = -1; i <= 1; i++)
        for (j = -1; j <= 1; j++) {
          u8 v = in->px[(y + i) * in->w + x + j];
          int at = n++;
          while (at > 0 && win[at - 1] > v) {
            win[at] = win[at - 1];
            at--;
          }
          win[at] = v;
        }
      out->px[y * out->w + x] = win[4];
    }
}

static void equalize(image *im) {
  int i, sum = 0, total = im->w * im->h;
  for (i = 0; i < 256; i++)
    hist[i] = 0;
  for (i = 0; i < total; i++)
    hist[im->px[i]]++;
  for (i = 0; i < 256; i++) {
    sum += hist[i];
    lut[i] = sum * 255 / total;
  }
  for (i = 0; i < total; i++)
    im->px[i] = lut[im->px[i]];
}

int main(void) {
  int blur[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}}, edge[3][3] = {{0, -1, 0}, {-1, 5, -1}, {0, -1, 0}};
  image *a = new_image(100, 80), *b = new_image(100, 80), *c = new_image(100, 80);
  int i;
  unsigned h = 1;
  for (i = 0; i < a->w * a->h; i++)
    a->px[i] = (i * 2654435761u >> 20) ^ i;
  convolve(a, b, blur, 16);
  convolve(b, c, edge, 1);
  median(c, a);
  equalize(a);
  for (i = 0; i < a->w * a->h; i++)
    h = h * 16777619u ^ a->px[i];
  printf("%u\n", h);
  return 0;
}
