/* A small perceptron trained by backpropagation, weights in struct members, helper functions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define IN 12
#define HID 24
#define OUT 4
#define SAMPLES 60
typedef struct { float w1[IN][HID], w2[HID][OUT], h[HID], o[OUT], dh[HID], dout[OUT]; } net;
static float xs[SAMPLES][IN], ts[SAMPLES][OUT];
static net n;

static float sigmoid(float x) { return 1 / (1 + expf(-x)); }

static void forward(net *p, float *x) {
  int i, j;
  for (j = 0; j < HID; j++) {
    float s = 0;
    for (i = 0; i < IN; i++)
      s += x[i] * p->w1[i][j];
    p->h[j] = sigmoid(s);
  }
  for (j = 0; j < OUT; j++) {
    float s = 0;
    for (i = 0; i < HID; i++)
      s += p->h[i] * p->w2[i][j];
    p->o[j] = sigmoid(s);
  }
}

static double backward(net *p, float *x, float *t, float rate) {
  int i, j;
  double e = 0;
  for (j = 0; j < OUT; j++) {
    float d = t[j] - p->o[j];
    e += d * d;
    p->dout[j] = d * p->o[j] * (1 - p->o[j]);
  }
  for (i = 0; i < HID; i++) {
    float s = 0;
    for (j = 0; j < OUT; j++)
      s += p->dout[j] * p->w2[i][j];
    p->dh[i] = s * p->h[i] * (1 - p->h[i]);
  }
  for (i = 0; i < HID; i++)
    for (j = 0; j < OUT; j++)
      p->w2[i][j] += rate * p->dout[j] * p->h[i];
  for (i = 0; i < IN; i++)
    for (j = 0; j < HID; j++)
      p->w1[i][j] += rate * p->dh[j] * x[i];
  return e;
}

int main(void) {
  int i, j, epoch;
  double e = 0;
  for (i = 0; i < IN; i++)
    for (j = 0; j < HID; j++)
      n.w1[i][j] = (i * 7 + j * 3) % 11 / 11.0f - 0.5f;
  for (i = 0; i < HID; i++)
    for (j = 0; j < OUT; j++)
      n.w2[i][j] = (i * 5 + j * 2) % 13 / 13.0f - 0.5f;
  for (i = 0; i < SAMPLES; i++) {
    for (j = 0; j < IN; j++)
      xs[i][j] = (i * j) % 7 / 7.0f;
    ts[i][i % OUT] = 1;
  }
  for (epoch = 0; epoch < 5; epoch++) {
    e = 0;
    for (i = 0; i < SAMPLES; i++) {
      forward(&n, xs[i]);
      e += backward(&n, xs[i], ts[i], 0.3f);
    }
  }
  printf("%.6f %.5f\n", e, n.w1[3][4] + n.w2[5][2]);
  return 0;
}
