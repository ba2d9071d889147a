// A filter: what comes next depends on what came before, the work on it does not, and results are put together in order.
#include <stdio.h>

#define WORDS 64

struct block {
  unsigned words[WORDS];
  struct block *next;
};

static unsigned state = 1, digest;

static void fetch(struct block *to) {
  for (int k = 0; k < WORDS; k++) {
    state = state * 1664525u + 1013904223u;
    to->words[k] = state >> 8;
  }
}

static unsigned work(const struct block *from) {
  unsigned sum = 0;
  for (int k = 0; k < WORDS; k++) {
    unsigned x = from->words[k] | 1;
    for (int round = 0; round < 40; round++) {
      x ^= x << 13;
      x ^= x >> 17;
      x ^= x << 5;
    }
    sum += x;
  }
  return sum;
}

static void append(unsigned value) {
  for (int k = 0; k < 8; k++)
    digest = digest * 31 + (value >> k);
}

int main(void) {
  struct block block;
  for (int i = 0; i < 500; i++) { // the filter
    fetch(&block);
    unsigned value = work(&block);
    append(value);
  }
  static struct block all[200];
  for (int i = 0; i < 200; i++) {
    all[i].words[i % WORDS] = i;
    all[i].next = i < 199 ? &all[i + 1] : NULL;
  }
  unsigned sum = 0;
  for (struct block *at = all; at; at = at->next) { // the list
    unsigned value = work(at);
    sum = sum * 7 + value;
  }
  // Iterations are independent: no pipeline.
  static unsigned table[4000];
  for (int i = 0; i < 4000; i++) {
    unsigned x = i | 1;
    for (int round = 0; round < 40; round++)
      x ^= (x << 7) + round;
    table[i] = x;
  }
  printf("%u %u %u\n", digest, sum, table[digest % 4000]);
  return 0;
}
