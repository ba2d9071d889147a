// Functions that are called through pointers: what they do is known of the run alone, and a hint says so.
#include <stdio.h>

#define N 900

typedef int (*step)(int);
static int a[N], b[N], count;
static int twice(int x) {
  return 2 * x;
}
static int counted(int x) {
  count += x;
  return count;
}
struct entry {
  step f;
  int v;
};
static step of_all = twice;

int main(int argc, char **argv) {
  int i;
  unsigned sum = 0;
  step op = argc > 3 ? counted : twice;
  struct entry both[2] = {{twice, 1}, {op, 2}}, *one = both;
  // clauses: none
  for (i = 0; i < N; i++) // no hint
    b[i] = i % 7;
  // clauses: none
  for (i = 0; i < N; i++) // called through op
    a[i] = op(b[i]);
  // clauses: none
  for (i = 0; i < N; i++) // called through both
    a[i] += both[i & 1].f(b[i]);
  // clauses: none
  for (i = 0; i < N; i++) // called through one
    a[i] += one->f(b[i]);
  // clauses: none
  for (i = 0; i < N; i++) // called through of_all
    a[i] += of_all(b[i]);
  for (i = 0; i < N; i++)
    sum = sum * 31 + a[i];
  printf("%u\n", sum);
  return 0;
}
