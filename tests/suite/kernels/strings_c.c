/* String processing: words, case, palindromes, Caesar, word counts. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#define WORDS 600
static char text[8192], words[WORDS][16], upper[8192], shifted[8192];
static int nwords, lengths[WORDS], vowels[WORDS], letters[26];

static int palindrome(const char *w) {
  int i = 0, j = strlen(w) - 1;
  while (i < j)
    if (w[i++] != w[j--])
      return 0;
  return 1;
}

static void make(void) {
  int i, k, at = 0;
  for (i = 0; i < WORDS; i++) {
    int len = 2 + i * 7 % 9;
    for (k = 0; k < len; k++)
      text[at++] = 'a' + (i * 13 + k * (i % 3) * 5) % 26;
    text[at++] = ' ';
  }
  text[at] = 0;
}

int main(void) {
  char *p, buf[64];
  int i, n, pal = 0, longest = 0, which = -1;
  unsigned h = 0;
  make();
  n = strlen(text);
  for (p = text; *p;) {
    char *end = strchr(p, ' ');
    memcpy(words[nwords], p, end - p);
    words[nwords][end - p] = 0;
    nwords++;
    p = end + 1;
  }
  for (i = 0; i < nwords; i++) {
    char *w = words[i];
    lengths[i] = strlen(w);
    vowels[i] = 0;
    for (; *w; w++)
      if (strchr("aeiou", *w))
        vowels[i]++;
    if (palindrome(words[i]))
      pal++;
  }
  for (i = 0; i < n; i++) {
    upper[i] = toupper((unsigned char)text[i]);
    shifted[i] = isalpha((unsigned char)text[i]) ? 'a' + (text[i] - 'a' + 13) % 26 : text[i];
    if (isalpha((unsigned char)text[i]))
      letters[text[i] - 'a']++;
  }
  for (i = 0; i < nwords; i++)
    if (lengths[i] > longest) {
      longest = lengths[i];
      which = i;
    }
  for (i = 0; i < nwords; i++) {
    snprintf(buf, sizeof buf, "%s:%d:%d", words[i], lengths[i], vowels[i]);
    for (p = buf; *p; p++)
      h = h * 31 + *p;
  }
  for (i = 0; i < n; i++)
    h = h * 31 + upper[i] + shifted[i];
  printf("%d %d %d %d %u\n", nwords, pal, longest, which, h + letters[0]);
  return 0;
}
