// Library functions with hidden state: calls of one family follow each other; pure ones do not.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = 32 };
static int r[N];
static double s[N], x[N];
static char words[N][8];
static size_t lengths[N];

static void random_numbers(void) {
  // expect: SERIAL
  for (int i = 0; i < N; i++)
    r[i] = rand();
}

static void output(FILE *f) {
  // expect: SERIAL
  for (int i = 0; i < N; i++)
    fputc('a', f);
}

static void tokens(char *text) {
  int i = 0;
  // expect: SERIAL
  for (char *t = strtok(text, " "); t && i < N; t = strtok(NULL, " "))
    r[i++] = t[0];
}

static void pure(void) {
  // expect: DOALL sp=32 cp=4+40+1
  // load 4, elementary function 40, store 1
  for (int i = 0; i < N; i++)
    s[i] = exp(x[i]);
}

static void lengths_of_words(void) {
  // expect: DOALL iters=32
  // reads its argument's bytes only
  for (int i = 0; i < N; i++)
    lengths[i] = strlen(words[i]);
}

static void length_chain(void) {
  // expect: SERIAL
  // the length of the string hangs on the byte written from the length before
  for (int i = 0; i < N; i++) {
    size_t n = strlen(words[0]);
    words[0][0] = (char)('a' + n);
  }
}

static int comparisons(void) {
  int n = 0;
  // expect: DOALL_REDUCTION iters=32
  for (int i = 0; i < N; i++)
    n += strcmp(words[i], "abc") < 0;
  return n;
}

int main(void) {
  char text[] = "one two three four five six seven eight nine ten";
  FILE *f = fopen("/dev/null", "w");
  for (int i = 0; i < N; i++)
    strcpy(words[i], "word");
  random_numbers();
  output(f);
  tokens(text);
  pure();
  lengths_of_words();
  length_chain();
  fclose(f);
  return comparisons() + (int)s[0] + (int)lengths[0] < 0;
}
