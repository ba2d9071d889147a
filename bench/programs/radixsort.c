// Radix sort of 32-bit keys, one byte a pass: counting, prefix sum, scatter.  Argument: elements.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void pass(const uint32_t *from, uint32_t *to, long n, int shift) {
    uint32_t count[256];
    memset(count, 0, sizeof count);
    for (long i = 0; i < n; i++)
        count[from[i] >> shift & 255]++;
    uint32_t start = 0;
    for (int b = 0; b < 256; b++) {
        uint32_t c = count[b];
        count[b] = start;
        start += c;
    }
    for (long i = 0; i < n; i++)
        to[count[from[i] >> shift & 255]++] = from[i];
}

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 6000000;
    uint32_t *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    if (!a || !b)
        return 1;
    uint32_t state = 2463534242u;
    for (long i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        a[i] = state;
    }
    for (int shift = 0; shift < 32; shift += 16) {
        pass(a, b, n, shift);
        pass(b, a, n, shift + 8);
    }
    uint64_t sum = 0;
    for (long i = 0; i < n; i++) {
        if (i && a[i - 1] > a[i])
            return 2;
        sum += (uint64_t)a[i] * (uint64_t)(i % 1009);
    }
    printf("radixsort %ld %016llx\n", n, (unsigned long long)sum);
    free(a);
    free(b);
    return 0;
}
