// Recursive quicksort of 32-bit integers with insertion sort for short pieces.  Argument: elements.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void insertion(int *a, long n) {
    for (long i = 1; i < n; i++) {
        int x = a[i];
        long j = i;
        for (; j > 0 && a[j - 1] > x; j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

static void sort(int *a, long n) {
    if (n <= 16) {
        insertion(a, n);
        return;
    }
    int first = a[0], middle = a[n / 2], last = a[n - 1];
    int pivot = first < middle ? (middle < last ? middle : first < last ? last : first)
                               : (first < last ? first : middle < last ? last : middle);
    long i = 0, j = n - 1;
    while (i <= j) {
        while (a[i] < pivot)
            i++;
        while (a[j] > pivot)
            j--;
        if (i <= j) {
            int t = a[i];
            a[i++] = a[j];
            a[j--] = t;
        }
    }
    sort(a, j + 1);
    sort(a + i, n - i);
}

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 2000000;
    int *a = malloc(n * sizeof *a);
    if (!a)
        return 1;
    uint32_t state = 12345;
    for (long i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        a[i] = (int)(state >> 1);
    }
    sort(a, n);
    uint64_t sum = 0;
    for (long i = 0; i < n; i++)
        sum = sum * 31 + (uint32_t)a[i];
    for (long i = 1; i < n; i++)
        if (a[i - 1] > a[i])
            return 2;
    printf("quicksort %ld %016llx\n", n, (unsigned long long)sum);
    free(a);
    return 0;
}
