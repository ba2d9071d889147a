/* Longest common subsequence and edit distance of two made-up strings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

char *text(int n, unsigned seed) {
  char *t = malloc(n + 1);
  int i;
  for (i = 0; i < n; i++) {
    seed = seed * 1103515245 + 12345;
    t[i] = 'a' + (seed >> 16 & 3);
  }
  t[n] = 0;
  return t;
}

int lcs(const char *a, const char *b) {
  int i, j, la = strlen(a), lb = strlen(b), r;
  int **t = malloc((la + 1) * sizeof *t);
  for (i = 0; i <= la; i++)
    t[i] = calloc(lb + 1, sizeof **t);
  for (i = 1; i <= la; i++)
    for (j = 1; j <= lb; j++)
      t[i][j] = a[i - 1] == b[j - 1] ? t[i - 1][j - 1] + 1 : MAX(t[i - 1][j], t[i][j - 1]);
  r = t[la][lb];
  for (i = 0; i <= la; i++)
    free(t[i]);
  free(t);
  return r;
}

int edit(const char *a, const char *b) {
  int i, j, la = strlen(a), lb = strlen(b), diag, old, r;
  int *row = malloc((lb + 1) * sizeof *row);
  for (j = 0; j <= lb; j++)
    row[j] = j;
  for (i = 1; i <= la; i++) {
    diag = row[0];
    row[0] = i;
    for (j = 1; j <= lb; j++) {
      old = row[j];
      row[j] = MIN(MIN(row[j] + 1, row[j - 1] + 1), diag + (a[i - 1] != b[j - 1]));
      diag = old;
    }
  }
  r = row[lb];
  free(row);
  return r;
}

int main(void) {
  char *a = text(400, 1), *b = text(350, 2);
  int best = 0, k;
  for (k = 0; k < 8; k++) {
    char *c = text(60, k + 10), *d = text(60, k + 20);
    best += edit(c, d);
    free(c);
    free(d);
  }
  printf("%d %d %d\n", lcs(a, b), edit(a, b), best);
  free(a);
  free(b);
  return 0;
}
