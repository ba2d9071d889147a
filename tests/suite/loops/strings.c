// levels: O0 O1 O3
// Text, byte by byte. Where the end is found by looking at the text, finding it is a chain.
#include "show.h"
#include <string.h>
enum { N = 64 };
static char text[N + 1], copy[N + 1];

static int length(const char *s) {
  const char *p = s;
  // expect: SERIAL sp=1 iters=65
  // carried: none -- a test of data ends it: each iteration waits for the one before to say that there is another
  // load 4, compare 1 before the next byte may be looked at; the body is empty, so looking at the final 0 is an iteration too
  while (*p)
    p++;
  return (int)(p - s);
}

static void upper(char *d, const char *s) {
  // expect: SERIAL sp=64*6/(63*5+6)
  // carried: none -- a test of data ends it: each iteration waits for the one before to say that there is another
  // the end test, load 4 and compare 1, is the chain; load 4, and 1, store 1 beside it
  while (*s)
    *d++ = *s++ & ~0x20;
}

static void upper_known(char *d, const char *s, int n) {
  // expect: DOALL sp=64 cp=6
  // clauses: firstprivate(d,s)
  // the same with the length known: load 4, and 1, store 1; neighbouring bytes do not meet
  for (int i = 0; i < n; i++)
    d[i] = s[i] & ~0x20;
}

static int count(const char *s, int n, char c) {
  int k = 0;
  // expect: DOALL_REDUCTION(+:k) sp=64
  // clauses: reduction(+:k)
  for (int i = 0; i < n; i++)
    k += s[i] == c;
  return k;
}

static int number(const char *s) {
  int v = 0;
  // expect: SERIAL
  // carried: v +1->+1 distance 1
  // v * 10 + digit is a recurrence, and every digit is needed to know whether there is a next one
  while (*s >= '0' && *s <= '9')
    v = v * 10 + (*s++ - '0');
  return v;
}

static void reverse(char *s, int n) {
  // expect: DOALL sp=32 cp=7
  // clauses: firstprivate(s,n)
  // n - 1 - i: two subtractions 2, load 4, store 1; n / 2 has the same value every time
  for (int i = 0; i < n / 2; i++) {
    char c = s[i];
    s[i] = s[n - 1 - i];
    s[n - 1 - i] = c;
  }
}

static char names[N][16], word[N];

static void chain(void) {
  // expect: CARRIED
  // carried: names[] +1->+1 distance 1
  // the string of the iteration before is read by its %s
  for (int i = 1; i < N; i++)
    snprintf(names[i], sizeof names[i], "%d,%.*s%s", i % 10, 0, text, names[i - 1]);
}

static void labels(void) {
  // expect: DOALL
  // clauses:
  // every iteration reads its own string
  for (int i = 0; i < N; i++)
    snprintf(names[i], sizeof names[i], "%d", i);
}

static char joined[N][32];

static void appended(void) {
  // expect: DOALL
  // clauses:
  // strcat looks for the end of what this iteration put there, not at what an earlier one left behind it
  for (int i = 0; i < N; i++) {
    char scratch[32];
    snprintf(scratch, sizeof scratch, "%d-", i);
    strcat(scratch, names[i]);
    strncat(scratch, names[N - 1 - i], 1);
    strcpy(joined[i], scratch);
  }
}

static void grown(void) {
  // expect: CARRIED
  // carried: word +1->+1 distance 1
  for (int i = 0; i < N - 1; i++)
    strcat(word, i % 2 ? "a" : "b");
}

static unsigned adler(const char *s, int n) {
  unsigned x = 1, y = 0;
  // expect: SERIAL sp=64*30/(64*13+17)
  // carried: x +1->+1 distance 1
  // carried: y +2->+2 distance 1
  // x: add 1, remainder 12 per byte (load 4 before the first); y: x + 13 later, add 1, remainder 12
  for (int i = 0; i < n; i++) {
    x = (x + (unsigned char)s[i]) % 65521;
    y = (y + x) % 65521;
  }
  return y << 16 | x;
}

int main(void) {
  for (int i = 0; i < N; i++)
    text[i] = (char)('a' + i % 26);
  upper(copy, text);
  int n = length(text) + count(text, N, 'e') + number("12345678");
  upper_known(copy, text, N);
  reverse(text, N);
  labels(), SHOW(names), appended(), SHOW(joined), grown(), SHOW(word), chain();
  SHOW(text), SHOW(copy), SHOW(names);
  return n + (int)adler(text, N) != 0 ? 0 : 1;
}
