// Counts words in an open hash table: insertions, then lookups.  Arguments: words, distinct words at most.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 17, SIZE = 1 << BITS };
typedef struct {
    char key[12];
    uint32_t count;
} slot;
static slot table[SIZE];

static uint32_t hash(const char *key) {
    uint32_t h = 2166136261u;
    for (; *key; key++)
        h = (h ^ (unsigned char)*key) * 16777619u;
    return h;
}

static slot *find(const char *key) {
    uint32_t i = hash(key) >> (32 - BITS);
    while (table[i].key[0] && strcmp(table[i].key, key) != 0)
        i = (i + 1) & (SIZE - 1);
    return &table[i];
}

static void word(uint32_t number, char *key) {
    int length = 0;
    do {
        key[length++] = (char)('a' + number % 26);
        number /= 26;
    } while (number);
    key[length] = 0;
}

int main(int argc, char **argv) {
    long words = argc > 1 ? atol(argv[1]) : 2000000;
    uint32_t distinct = argc > 2 ? (uint32_t)atol(argv[2]) : 80000;
    uint32_t state = 3;
    char key[12];
    for (long i = 0; i < words; i++) {
        state = state * 1664525u + 1013904223u;
        word((state >> 8) % distinct * 17u, key);
        slot *s = find(key);
        if (!s->key[0])
            strcpy(s->key, key);
        s->count++;
    }
    uint64_t sum = 0;
    for (long i = 0; i < words; i++) {
        word((uint32_t)(i * 7919 % (2 * (long)distinct)) * 17u, key);
        sum += find(key)->count * (uint64_t)(i % 13);
    }
    printf("hashtable %ld %u %016llx\n", words, distinct, (unsigned long long)sum);
    return 0;
}
