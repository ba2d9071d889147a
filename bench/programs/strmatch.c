// Counts a pattern in a text of few letters, by direct comparison and by Knuth, Morris and Pratt.  Argument: bytes.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long direct(const char *text, long n, const char *pattern, long m) {
    long count = 0;
    for (long i = 0; i + m <= n; i++) {
        long j = 0;
        while (j < m && text[i + j] == pattern[j])
            j++;
        if (j == m)
            count++;
    }
    return count;
}

static long kmp(const char *text, long n, const char *pattern, long m) {
    long border[64] = {0}, count = 0;
    for (long i = 1, k = 0; i < m; i++) {
        while (k > 0 && pattern[i] != pattern[k])
            k = border[k - 1];
        if (pattern[i] == pattern[k])
            k++;
        border[i] = k;
    }
    for (long i = 0, k = 0; i < n; i++) {
        while (k > 0 && text[i] != pattern[k])
            k = border[k - 1];
        if (text[i] == pattern[k])
            k++;
        if (k == m) {
            count++;
            k = border[k - 1];
        }
    }
    return count;
}

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 12000000;
    const char *pattern = "abacababacab";
    char *text = malloc(n);
    if (!text)
        return 1;
    uint32_t state = 7;
    for (long i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        text[i] = "aaabbc"[(state >> 20) % 6];
    }
    long m = (long)strlen(pattern), a = direct(text, n, pattern, m), b = kmp(text, n, pattern, m);
    printf("strmatch %ld %ld %ld\n", n, a, b);
    free(text);
    return a != b;
}
