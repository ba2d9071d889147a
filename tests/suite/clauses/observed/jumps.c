// Functions that jump out of the loop with other inputs (`longjmp`), directly, by what they call or through pointers:
// no run shows that no iteration of a parallel loop ever will. Jumps that end within an iteration do not matter.
#include <setjmp.h>
#include <stdio.h>

#define N 900

static jmp_buf out, own;
static int a[N], b[N];

static void fail(int x) {
  printf("%d\n", x);
  longjmp(out, 1);
}
static void (*handler)(int) = fail;
static void check(int x) {
  if (x < 0)
    longjmp(out, 1);
}
static int at_most(int x, int most) {
  if (x > most)
    fail(x);
  return x;
}
static int twice(int x) {
  return 2 * at_most(x, 1000);
}
static int handled(int x) {
  if (x < 0)
    handler(x);
  return x;
}
static int tried(int x) {
  if (setjmp(own))
    return -1;
  if (x < 0)
    longjmp(own, 1);
  return x;
}
static int plain(int x) {
  return x > 0 ? x : -x;
}

int main(void) {
  int i;
  unsigned sum = 0;
  // clauses: none
  for (i = 0; i < N; i++)
    b[i] = i % 7;
  if (!setjmp(out)) {
    // clauses: unchecked -- by a call
    for (i = 0; i < N; i++) {
      check(b[i]);
      a[i] = b[i];
    }
    // clauses: unchecked -- by what is called there
    for (i = 0; i < N; i++)
      a[i] += twice(b[i]);
    // clauses: unchecked -- through a pointer in what is called
    for (i = 0; i < N; i++)
      a[i] += handled(b[i]);
    // clauses: unchecked -- through a pointer
    for (i = 0; i < N; i++)
      if (b[i] > 100)
        handler(i);
      else
        a[i]++;
    // clauses: none
    for (i = 0; i < N; i++)
      a[i] += plain(b[i]);
  }
  // Where the jump ends in what is called, iterations may share what it goes by.
  for (i = 0; i < N; i++)
    a[i] += tried(b[i]);
  for (i = 0; i < N; i++)
    sum = sum * 31 + a[i];
  printf("%u\n", sum);
  return 0;
}
