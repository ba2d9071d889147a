/* Triangular loops: correlation, back substitution, Gram-Schmidt, pair counting, Pascal's triangle. */
#include <math.h>
#include <stdio.h>
#define VARS 40
#define OBS 120
static double data[OBS][VARS], mean[VARS], dev[VARS], corr[VARS][VARS], q[VARS][VARS], r[VARS][VARS];
static unsigned pascal[60][60];

int main(void) {
  int i, j, k;
  long close = 0;
  double s = 0;
  for (i = 0; i < OBS; i++)
    for (j = 0; j < VARS; j++)
      data[i][j] = (i * 31 + j * j * 17) % 97 + (i == j ? 50 : 0);
  for (j = 0; j < VARS; j++) {
    mean[j] = 0;
    for (i = 0; i < OBS; i++)
      mean[j] += data[i][j];
    mean[j] /= OBS;
  }
  for (j = 0; j < VARS; j++) {
    dev[j] = 0;
    for (i = 0; i < OBS; i++)
      dev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
    dev[j] = sqrt(dev[j]);
  }
  for (i = 0; i < VARS; i++) {
    corr[i][i] = 1;
    for (j = i + 1; j < VARS; j++) {
      corr[i][j] = 0;
      for (k = 0; k < OBS; k++)
        corr[i][j] += (data[k][i] - mean[i]) * (data[k][j] - mean[j]);
      corr[i][j] /= dev[i] * dev[j];
      corr[j][i] = corr[i][j];
    }
  }
  for (i = 0; i < VARS; i++)
    for (j = 0; j < VARS; j++)
      q[i][j] = data[i][j];
  for (k = 0; k < VARS; k++) {
    r[k][k] = 0;
    for (i = 0; i < VARS; i++)
      r[k][k] += q[i][k] * q[i][k];
    r[k][k] = sqrt(r[k][k]);
    for (i = 0; i < VARS; i++)
      q[i][k] /= r[k][k];
    for (j = k + 1; j < VARS; j++) {
      r[k][j] = 0;
      for (i = 0; i < VARS; i++)
        r[k][j] += q[i][k] * q[i][j];
      for (i = 0; i < VARS; i++)
        q[i][j] -= q[i][k] * r[k][j];
    }
  }
  for (i = 0; i < OBS; i++)
    for (j = 0; j < i; j++)
      if (fabs(data[i][0] - data[j][0]) < 3)
        close++;
  for (i = 0; i < 60; i++) {
    pascal[i][0] = pascal[i][i] = 1;
    for (j = 1; j < i; j++)
      pascal[i][j] = pascal[i - 1][j - 1] + pascal[i - 1][j];
  }
  for (i = 0; i < VARS; i++)
    for (j = 0; j < VARS; j++)
      s += fabs(corr[i][j]) + fabs(r[i][j]) / (1 + j);
  printf("%.8f %ld %u\n", s, close, pascal[59][30]);
  return 0;
}
