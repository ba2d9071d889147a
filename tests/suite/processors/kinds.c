/* A function of every kind that has native and tracked versions, or none: for processors without AVX2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vector { double x, y, z, w; };

static double a[64], b[64], c[64];

static int compare(const void *x, const void *y) {
    double d = *(const double *)x - *(const double *)y;
    return d < 0 ? -1 : d > 0;
}

__attribute__((noinline)) double multiply(int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += a[i] * b[j] + c[(i + j) % 64];
    return sum;
}

__attribute__((noinline)) int fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) double sum_all(int n, ...) {
    va_list list;
    va_start(list, n);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += va_arg(list, double);
    va_end(list);
    return sum;
}

__attribute__((noinline)) struct vector scale(struct vector v, double f) {
    for (int i = 0; i < 3; i++)
        v.x *= f, v.y += f, v.z -= f, v.w = v.x + v.y;
    return v;
}

__attribute__((noinline)) double variable(int n) {
    double t[n];
    for (int i = 0; i < n; i++)
        t[i] = a[i % 64] * i;
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += t[n - 1 - i] / (i + 1);
    return sum;
}

__attribute__((noinline)) int interpret(const unsigned char *p, int x) {
    static void *const table[] = { &&add, &&twice, &&loop, &&end };
    goto *table[*p++];
add:
    x += 3;
    goto *table[*p++];
twice:
    x *= 2;
    goto *table[*p++];
loop:
    for (int i = 0; i < 5; i++)
        x ^= i * x;
    goto *table[*p++];
end:
    return x;
}

static jmp_buf back;

static void leave(int n) {
    if (n > 2)
        longjmp(back, n);
}

__attribute__((noinline)) int guarded(int n) {
    int volatile calls = 0;
    if (setjmp(back))
        return calls;
    for (int i = 0; i < n; i++) {
        calls++;
        leave(i);
    }
    return calls;
}

int main(void) {
    static const unsigned char program[] = { 0, 1, 2, 0, 1, 2, 3 };
    for (int i = 0; i < 64; i++)
        a[i] = i * 0.5, b[i] = 64 - i, c[i] = i % 7;
    struct vector v = scale((struct vector){ 1, 2, 3, 4 }, 1.5);
    char text[64];
    memset(text, 'a', sizeof text - 1);
    text[63] = 0;
    printf("%g %d %g\n", multiply(24), fib(9), sum_all(4, 1.0, 2.5, 3.5, 4.0));
    printf("%g %g %d %d %zu\n", v.x + v.w, variable(17), interpret(program, 1), guarded(9), strlen(text));
    qsort(c, 64, sizeof *c, compare);
    printf("%g %g\n", c[0], c[63]);
    return 0;
}
