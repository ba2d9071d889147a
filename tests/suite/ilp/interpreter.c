/* An interpreter of byte code, as xlisp of SPEC 89 is one (Paragraph, table 3: about 13 operations per level). It runs a program that
   counts, over all numbers below N, the steps that Collatz's sequence takes down to 1. */

#include "check.h"

enum { PUSH, GET, SET, ADD, MULTIPLY, HALVE, ODD, LESS, JUMP, JUMP_IF_NOT, HALT };

enum { I, X, TOTAL, LIMIT, VARIABLES };

/* Operations and operands; targets of jumps are places in the table. */
static const unsigned char program[][2] = {
    {PUSH, 1},        {SET, I},                                        /*  0: i = 1 */
    {GET, I},         {GET, LIMIT}, {LESS, 0},      {JUMP_IF_NOT, 34}, /*  2: while i < limit */
    {GET, I},         {SET, X},                                        /*  6: x = i */
    {PUSH, 1},        {GET, X},     {LESS, 0},      {JUMP_IF_NOT, 29}, /*  8: while 1 < x */
    {GET, X},         {ODD, 0},     {JUMP_IF_NOT, 21},                 /* 12: if x is odd */
    {GET, X},         {PUSH, 3},    {MULTIPLY, 0},                     /* 15: 3 * x + 1 */
    {PUSH, 1},        {ADD, 0},     {JUMP, 23},                        /* 18 */
    {GET, X},         {HALVE, 0},                                      /* 21: else x / 2 */
    {SET, X},                                                          /* 23: to x */
    {GET, TOTAL},     {PUSH, 1},    {ADD, 0},       {SET, TOTAL},      /* 24: total = total + 1 */
    {JUMP, 8},                                                         /* 28 */
    {GET, I},         {PUSH, 1},    {ADD, 0},       {SET, I},          /* 29: i = i + 1 */
    {JUMP, 2},                                                         /* 33 */
    {HALT, 0},                                                         /* 34 */
};

static int64_t variables[VARIABLES], stack[8];

KERNEL void interpret(void) {
    int64_t *top = stack;
    for (long at = 0;; at++) {
        long operand = program[at][1];
        switch (program[at][0]) {
        case PUSH: *top++ = operand; break;
        case GET: *top++ = variables[operand]; break;
        case SET: variables[operand] = *--top; break;
        case ADD: top--; top[-1] += top[0]; break;
        case MULTIPLY: top--; top[-1] *= top[0]; break;
        case HALVE: top[-1] >>= 1; break;
        case ODD: top[-1] &= 1; break;
        case LESS: top--; top[-1] = top[-1] < top[0]; break;
        case JUMP: at = operand - 1; break;
        case JUMP_IF_NOT: if (!*--top) at = operand - 1; break;
        case HALT: return;
        }
    }
}

/* The same, compiled. */
KERNEL int64_t compiled(int64_t limit) {
    int64_t total = 0;
    for (int64_t i = 1; i < limit; i++)
        for (int64_t x = i; x > 1; total++)
            x = x & 1 ? 3 * x + 1 : x >> 1;
    return total;
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 60, 100000);
    variables[LIMIT] = n;
    interpret();
    report("interpret", (double)variables[TOTAL], variables[TOTAL] == compiled(n));
    return 0;
}
