// Computed goto: an interpreter, a label that is live over loops, jumps between labels; versions have their own labels.
#include <stdio.h>
#include <stdlib.h>
enum { ADD, SUB, JNZ, MULI, SWAP, HALT };
typedef struct { unsigned char op, a, b, c; } ins;
static unsigned regs[8];
static unsigned run(const ins *code, unsigned n) {
  static const void *const table[] = {&&add, &&sub, &&jnz, &&muli, &&swap, &&halt};
  const ins *pc = code;
  unsigned steps = 0;
  regs[0] = n;
#define NEXT do { steps++; goto *table[pc->op]; } while (0)
  NEXT;
add: regs[pc->a] = regs[pc->b] + regs[pc->c]; pc++; NEXT;
sub: regs[pc->a] = regs[pc->b] - pc->c; pc++; NEXT;
jnz: if (regs[pc->a]) pc -= pc->b; else pc++; NEXT;
muli: regs[pc->a] = regs[pc->b] * 5 + pc->c; pc++; NEXT;
swap: { unsigned t = regs[pc->a]; for (int i = 0; i < 3; i++) t = t * 3 + i; regs[pc->b] ^= t; pc++; NEXT; }
halt: return regs[1] + steps;
}
// The label is live over loops.
static unsigned held(int k, unsigned n) {
  static void *const where[] = {&&one, &&two, &&three};
  void *to = where[k % 3];
  unsigned s = 0;
  for (unsigned i = 0; i < n; i++) { s = s * 7 + i; for (unsigned j = 0; j < (i & 3); j++) s ^= regs[j]; }
  goto *to;
one: return s;
two: s += 1; goto *where[2];
three: return s * 2;
}
int main(int c, char **v) {
  unsigned n = c > 1 ? atoi(v[1]) : 2000;
  ins code[] = {{MULI, 1, 1, 7}, {ADD, 2, 2, 1}, {SWAP, 1, 3, 0}, {SUB, 0, 0, 1}, {JNZ, 0, 4, 0}, {HALT, 0, 0, 0}};
  unsigned r = run(code, n), h = 0;
  for (int k = 0; k < 9; k++) h = h * 31 + held(k, n / 10 + 20);
  printf("%u %u %u %u\n", r, h, regs[2], regs[3]);
}
