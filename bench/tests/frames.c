/* Functions that need their frame, or have arguments on the stack: by value, many, variadic ones; arrays of variable
   length, of the function and of a loop's iteration; memory of `alloca`; large variables; jumps back. Versions of
   each change often enough that a stack which grows with every change would end. */
#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { double x, y, z; } Vector;
typedef struct { long values[9]; char name; } Record;

__attribute__((noinline)) static Vector add(Vector a, Vector b) {
    Vector sum = {a.x + b.x, a.y + b.y, a.z + b.z};
    return sum;
}

/* A loop that changes its own copy, which is handed over. */
__attribute__((noinline)) static long records(Record a, int n, Record b) {
    long sum = 0;
    for (int i = 0; i < n; i++) {
        a.values[i % 9] += b.values[(i + 2) % 9] ^ i;
        for (int k = 0; k < 4; k++)
            sum += a.values[(i + k) % 9];
        b = a;
        b.values[i % 9] ^= sum & 15;
    }
    return sum + a.name;
}

/* More arguments than registers, and a loop that goes on for long. */
__attribute__((noinline)) static double many(double *a, double *b, double *c, const double *d, int n, int m, int steps, double w, short s,
                                             unsigned char u) {
    double kept[16];
    for (int i = 0; i < 16; i++)
        kept[i] = i * w;
    for (int step = 0; step < steps; step++) {
        for (int i = 1; i < n - 1; i++)
            a[i] = 0.3 * (b[i - 1] + b[i] + b[i + 1]) + c[i] * d[i] * w;
        for (int i = 1; i < n - 1; i++)
            b[i] = a[i] * 0.99 + step % m + kept[(i + step) % 16];
        c[step % n] += s + u;
    }
    return a[n / 2] + b[n / 3] + kept[steps % 16];
}

/* No memory of its own either. */
__attribute__((noinline)) static long registers(long a, long b, long c, long d, long e, long f, long g, long h, int n) {
    for (int i = 0; i < n; i++) {
        a += b ^ i;
        for (int k = 0; k < 3; k++)
            b = b * 3 + c;
        c += d + e;
        h ^= a + f * g;
    }
    return a + b + c + h;
}

__attribute__((noinline)) static double variadic(int passes, const char *format, ...) {
    double sum = 0;
    for (int pass = 0; pass < passes; pass++) {
        va_list list;
        va_start(list, format);
        for (const char *p = format; *p; p++) {
            switch (*p) {
            case 'd':
                sum += va_arg(list, int) + pass;
                break;
            case 'f':
                sum += va_arg(list, double);
                break;
            case 's':
                sum += va_arg(list, const char *)[0];
                break;
            case 'l':
                sum += (double)va_arg(list, long double);
                break;
            default:
                sum += va_arg(list, Vector).y;
            }
            for (int k = 0; k < 3; k++)
                sum = sum * 0.5 + k;
        }
        va_end(list);
    }
    return sum;
}

__attribute__((noinline)) static double listed(int n, va_list list) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += va_arg(list, double) * i;
    return sum;
}

__attribute__((noinline)) static double passes(int n, ...) {
    va_list list, copy;
    va_start(list, n);
    va_copy(copy, list);
    double sum = listed(n, list);
    for (int i = 0; i < n; i++) {
        sum += va_arg(copy, double);
        for (int k = 0; k < i; k++)
            sum *= 0.99;
    }
    va_end(copy);
    va_end(list);
    return sum;
}

/* Arrays of variable length, of the function, of an iteration, and of one of a loop in it. */
__attribute__((noinline)) static double smooth(int n, double a[n][n], int steps) {
    double sums[n];
    memset(sums, 0, sizeof sums);
    for (int s = 0; s < steps; s++) {
        double row[n];
        for (int i = 1; i < n - 1; i++) {
            for (int j = 0; j < n; j++)
                row[j] = 0.25 * (a[i - 1][j] + 2 * a[i][j] + a[i + 1][j]);
            double part[1 + i % 7];
            part[i % 7] = row[i];
            for (int j = 0; j < n; j++)
                a[i][j] = row[j] + 1e-9 * part[i % 7];
            sums[i] += a[i][i];
        }
        if (s % 5 == 4)
            continue;
        sums[0] += row[1];
    }
    double all = 0;
    for (int i = 0; i < n; i++)
        all += sums[i];
    return all;
}

/* The array comes behind a loop, and another loop behind that. */
__attribute__((noinline)) static long behind(int n) {
    long sum = 0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            sum += i ^ k;
    }
    long list[n];
    for (int i = 0; i < n; i++) {
        list[i] = sum + i;
        for (int k = 0; k <= i % 3; k++)
            list[i] ^= list[i / 2] << k;
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 2; k++)
            sum += list[(i + k) % n];
    }
    return sum;
}

struct node {
    struct node *next;
    long value;
};

/* A list on the stack, which grows until the function returns. */
__attribute__((noinline)) static long chained(int n) {
    struct node *first = NULL;
    for (int i = 0; i < n; i++) {
        struct node *node = alloca(sizeof *node);
        node->next = first;
        node->value = i * 3;
        first = node;
        for (int k = 0; k < 2; k++)
            node->value ^= k + i;
    }
    long sum = 0;
    for (struct node *node = first; node; node = node->next)
        sum = sum * 5 + node->value;
    return sum;
}

/* Variables of 200 kB, deep in a recursion as well. */
__attribute__((noinline)) static long large(int depth, int steps) {
    long a[25600];
    for (int i = 0; i < 64; i++)
        a[i * 400] = i + depth;
    for (int s = 0; s < steps; s++) {
        for (int i = 1; i < 64; i++)
            a[i * 400] += a[(i - 1) * 400] ^ s;
    }
    return a[63 * 400] + (depth > 0 ? large(depth - 1, steps / 2) : 0);
}

static jmp_buf back;
static double table[64];

__attribute__((noinline)) static void leaps(int n, int from) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 8; k++)
            table[(i + k) & 63] = table[(i + 2 * k) & 63] * 0.75 + k;
        if (i == from)
            longjmp(back, i + 1);
    }
}

__attribute__((noinline)) static void deeper(int depth, int n, int from) {
    if (depth > 0)
        deeper(depth - 1, n, from);
    else
        leaps(n, from);
}

/* Comes back by a jump as often as not, and goes on behind it. */
__attribute__((noinline)) static double guarded(int n, int from) {
    volatile double sum = 0;
    int code = setjmp(back);
    if (code == 0)
        deeper(3, n, from);
    else
        sum += code;
    for (int i = 0; i < 5; i++) {
        leaps(4, 9);
        sum += table[i];
    }
    return sum;
}

__attribute__((noinline)) static int calledFrom(int n) {
    long here = (long)__builtin_return_address(0);
    int sum = here != 0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            sum += i * k;
    }
    return sum;
}

int main(void) {
    enum { N = 40 };
    static double a[N], b[N], c[N], d[N], square[N][N];
    for (int i = 0; i < N; i++) {
        a[i] = i % 3, b[i] = i % 5, c[i] = i % 7, d[i] = i % 11;
        for (int j = 0; j < N; j++)
            square[i][j] = (i * 7 + j * 3) % 13;
    }
    Vector sum = {0, 0, 0};
    Record record = {{1, 2, 3, 4, 5, 6, 7, 8, 9}, 'r'};
    long whole = 0;
    double parts = 0;
    for (int i = 0; i < 30; i++) {
        Vector other = {i, 1, a[i]};
        sum = add(sum, other);
        whole += records(record, 5 + i, record);
        record.values[i % 9] ^= whole & 31;
        whole += registers(1, 2, 3, 4, 5, 6, 7, i, 20);
        parts += variadic(3, "dfsvld", i, 2.5 * i, "xyz", other, 1.5L * i, 7);
        parts += passes(5, 1.0, 2.0 * i, 3.0, 4.0, 0.5);
        parts += guarded(20, i % 3 ? 7 : 50);
        whole += behind(10 + i) + chained(20) + calledFrom(6);
    }
    parts += many(a, b, c, d, N, 7, 4000, 0.01, -3, 200);
    whole += registers(1, 2, 3, 4, 5, 6, 7, 8, 60000);
    parts += smooth(N, square, 200);
    whole += large(5, 2000);
    printf("%.9g %.9g %.9g %ld %.12g\n", sum.x, sum.y, sum.z, whole, parts);
    return 0;
}
