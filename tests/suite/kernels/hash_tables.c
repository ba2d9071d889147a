/* A chained and an open hash table of strings and numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define BUCKETS 512
struct entry { struct entry *next; char *key; int count; };
static struct entry *table[BUCKETS];
static unsigned keys[4096], hits[4096];
static int used;

static unsigned hash(const char *s) {
  unsigned h = 5381;
  while (*s)
    h = h * 33 + (unsigned char)*s++;
  return h;
}

static struct entry *lookup(const char *key) {
  unsigned h = hash(key) % BUCKETS;
  struct entry *e;
  for (e = table[h]; e; e = e->next)
    if (!strcmp(e->key, key))
      return e;
  e = malloc(sizeof *e);
  e->key = strdup(key);
  e->count = 0;
  e->next = table[h];
  table[h] = e;
  used++;
  return e;
}

static void insert(unsigned k) {
  unsigned i = k * 2654435761u >> 20;
  while (hits[i] && keys[i] != k)
    i = (i + 1) & 4095;
  keys[i] = k;
  hits[i]++;
}

int main(void) {
  char word[16];
  int i;
  unsigned long check = 0;
  for (i = 0; i < 6000; i++) {
    sprintf(word, "w%d", i * 31 % 700);
    lookup(word)->count += i % 3;
    insert(i * 17 % 2000 + 1);
  }
  for (i = 0; i < BUCKETS; i++) {
    struct entry *e;
    for (e = table[i]; e; e = e->next)
      check += e->count * (unsigned long)(i + 1);
  }
  for (i = 0; i < 4096; i++)
    check += hits[i] * (unsigned long)keys[i];
  printf("%d %lu\n", used, check);
  return 0;
}
