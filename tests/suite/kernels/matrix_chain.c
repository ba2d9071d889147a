/* Matrix-chain ordering by dynamic programming, the order of the textbook and by rows. */
#include <limits.h>
#include <stdio.h>
#define MAX 130
long m[MAX][MAX], m2[MAX][MAX];
int s[MAX][MAX], p[MAX + 1], n = 120;

void by_length(void) {
  int i, j, k, l;
  long q;
  for (i = 1; i <= n; i++)
    m[i][i] = 0;
  for (l = 2; l <= n; l++)
    for (i = 1; i <= n - l + 1; i++) {
      j = i + l - 1;
      m[i][j] = LONG_MAX;
      for (k = i; k < j; k++) {
        q = m[i][k] + m[k + 1][j] + (long)p[i - 1] * p[k] * p[j];
        if (q < m[i][j]) {
          m[i][j] = q;
          s[i][j] = k;
        }
      }
    }
}

void by_rows(void) {
  int i, j, k;
  for (i = n; i >= 1; i--) {
    m2[i][i] = 0;
    for (j = i + 1; j <= n; j++) {
      long best = LONG_MAX;
      for (k = i; k < j; k++) {
        long q = m2[i][k] + m2[k + 1][j] + (long)p[i - 1] * p[k] * p[j];
        if (q < best)
          best = q;
      }
      m2[i][j] = best;
    }
  }
}

int main(void) {
  int i;
  for (i = 0; i <= n; i++)
    p[i] = 5 + i * 37 % 41;
  by_length();
  by_rows();
  printf("%ld %ld %d %ld\n", m[1][n], m2[1][n], s[1][n], m[1][n] - m2[1][n]);
  return 0;
}
