// Nests whose outer loops have few iterations, and one whose outer loop has many.
#include <stdio.h>

#define FEW 6
#define MANY 800

double a[FEW][MANY], b[FEW][MANY], c[MANY][FEW];

int main(void) {
  int i, j;
  double s = 0;
  // clauses: private(j)
  for (i = 0; i < FEW; i++) // collapse(2) shares out 4800
    for (j = 0; j < MANY; j++)
      a[i][j] = i + 0.5 * j;
  // clauses: private(j)
  for (i = 0; i < FEW; i++) { // no hint: two loops
    for (j = 0; j < MANY; j++)
      b[i][j] = a[i][j] * 2;
    for (j = 0; j < MANY; j++)
      b[i][j] += 1;
  }
  // clauses: private(j)
  for (i = 0; i < MANY; i++) // no hint: many
    for (j = 0; j < FEW; j++)
      c[i][j] = a[j][i];
  // clauses: private(j)
  for (i = 0; i < FEW; i++) // no hint: a loop inside waits
    for (j = 1; j < MANY; j++)
      b[i][j] += b[i][j - 1];
  // clauses: private(j) reduction(+:s)
  for (i = 0; i < MANY; i++) // no hint: many
    for (j = 0; j < FEW; j++)
      s += c[i][j] + b[j][i];
  printf("%g\n", s);
  return 0;
}
