// Variables of blocks, in loops of jumps: those whose block has been left are nothing to a later round, those whose
// block has not been left are kept, wherever control jumps in it.
#include <stdio.h>
#include <stdlib.h>
#define NUMBER(at, to) (kind[at] == 1 ? ((to) = x[at], 1) : kind[at] == 2 ? ((to) = (double)(at), 1) : 0)
static long interpret(const unsigned char *code, const double *x, const int *kind) {
  static const void *const table[] = {&&stop, &&add, &&multiply};
  long i = 0, r = 0;
next:
  goto *table[code[i++]];
add: {
  double a, b;
  if (NUMBER(i, a) && NUMBER(i + 1, b))
    r += (long)(a + b);
  goto *table[code[i++]];
}
multiply: {
  double a, b;
  if (NUMBER(i, a) && NUMBER(i + 1, b))
    r += (long)(a * b);
  goto next;
}
stop:
  return r;
}
struct pair { long a, b; };
// A result that lies in a block of its own, and is read behind it.
static struct pair named(int k, int n) {
  if (k) {
    struct pair p = {k, n};
    for (int i = 0; i < n; i++)
      p.a = p.a * 3 + p.b + i;
    return p;
  }
  return (struct pair){0, 1};
}
// The value of a block is that of a variable in it, and what is chosen by it is all that is left of the block.
static int chosen(const char *s) {
  int letters = 0, c;
again:
  c = *s++;
  switch (({ int lower; if (c >= 'A' && c <= 'Z') lower = c + 32; else lower = c; lower; })) {
  case 'a':
    letters += 3;
    goto again;
  case 'z': {
    int kept;
    if (c == 'Z')
      kept = 5;
    else
      kept = 7;
    c = kept;
  }
    letters = letters * 5 + c;
    goto again;
  case 0:
    return letters;
  default:
    letters = letters * 3 + ({ int odd; if (c & 1) odd = 1; else odd = c; odd; });
    goto again;
  }
}
// Loops of jumps within a block, into it and out of it, with what they set in earlier rounds.
static unsigned rounds(unsigned n, int into) {
  unsigned all = 0, round = 0;
again:
  {
    unsigned kept = all;
    int first = 1;
    unsigned last;
    if (into & 1)
      goto inside;
  repeat:
    kept = kept * 5 + n;
    if (!first)
      kept ^= last;
    last = kept >> 3;
    first = 0;
    if (kept % 7 > 2)
      goto repeat;
    for (unsigned i = 0; i < (n & 3); i++)
      last += i * kept;
    all += last;
    goto behind;
  inside:
    kept = n;
    last = 1;
    switch (n % 3) {
      unsigned held;
    case 0:
      held = n;
      for (;;) {
        held = held / 2 + last;
        if (held < 9)
          break;
    case 1:
        last = last + 1;
        if (last > 4)
          break;
        held = last;
      }
      all += held;
      break;
    default:
      all += ({ unsigned inner = kept; for (int i = 0; i < 3; i++) inner = inner * 3 + last; inner; });
    }
  behind:
    all ^= kept;
  }
  into >>= 1;
  if (++round < n % 11)
    goto again;
  return all;
}
int main(int argc, char **argv) {
  enum { N = 600 };
  static unsigned char code[N + 1];
  static double x[N + 3];
  static int kind[N + 3];
  for (int i = 0; i < N; i++) {
    code[i] = 1 + i % 2;
    x[i] = i * 0.5;
    kind[i] = i % 5 ? 1 + i % 2 : 0;
  }
  int n = argc > 1 ? atoi(argv[1]) : 20;
  long sum = 0;
  for (int i = 0; i < n; i++)
    sum += interpret(code, x, kind);
  unsigned all = 0;
  for (int i = 0; i < 20 * n; i++)
    all = all * 31 + rounds(i, i * 7);
  struct pair p = {0, 0};
  for (int i = 0; i < n; i++) {
    struct pair q = named(i & 3, i);
    p.a ^= q.a;
    p.b += q.b;
  }
  int letters = 0;
  for (int i = 0; i < n; i++)
    letters += chosen("AzbZa%d+w");
  printf("%ld %u %ld %ld %d\n", sum, all, p.a, p.b, letters);
  return 0;
}
