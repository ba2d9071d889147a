// Loops with two chains, one of which lies in what they call: `next` and its static variable (load 4, multiply 3, add 1, store 1: 9
// units an iteration), and one in a register (multiply 3, add 1: 4 units). Copies of a structure cost 5 units each, `rand` 20.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = 300 };
static unsigned x[N], seed = 1;
struct state { unsigned word[32]; };
static struct state now, then;
unsigned draw(unsigned *r);

static unsigned next(void) { return seed = seed * 5 + 7; }
static unsigned peek(void) { return seed; }
static unsigned deeper(int n) { return n ? deeper(n - 1) : next(); }

static void advance(void) {
  struct state s;
  memcpy(&s, &now, sizeof s);
  s.word[0] = s.word[0] * 5 + 7;
  memcpy(&now, &s, sizeof s);
}

int main(void) {
  unsigned total = 1;
  for (int i = 0; i < N; i++) { // called
    x[i] = next();
    total = total * 3 + x[i];
  }
  unsigned mix = 1;
  for (int i = 0; i < N; i++) { // deep
    x[i] = deeper(2);
    mix = mix * 3 + x[i];
  }
  unsigned other = 1, r = 3;
  for (int i = 0; i < N; i++) { // file
    x[i] = draw(&r);
    other = other * 3 + x[i];
  }
  unsigned copied = 1;
  for (int i = 0; i < N; i++) { // copied
    advance();
    copied = copied * 3 + i;
  }
  unsigned hidden = 1;
  for (int i = 0; i < N; i++) { // hidden
    x[i] = rand();
    hidden = hidden * 3 + x[i];
  }
  unsigned folded = 1;
  for (int i = 0; i < N; i++) { // folded
    seed = peek() * 5 + 7;
    folded = folded * 3 + i;
  }
  printf("%u %u %u %u %u %u %u\n", total, mix, other, copied, hidden, folded, now.word[0] + seed + then.word[1]);
  return 0;
}
