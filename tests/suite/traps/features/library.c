/* Calls of the C library with null pointers, without limits, and with texts that have no end: nothing may look at what they do not. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Not declared as the library has it. */
extern size_t measured(uintptr_t text, size_t most) __asm__("strnlen");

static int size(const char *format, ...) {
  va_list values;
  va_start(values, format);
  int n = vsnprintf(NULL, 0, format, values);
  va_end(values);
  return n;
}

int main(void) {
  /* Text up to the end of what can be read. */
  long page = sysconf(_SC_PAGESIZE);
  char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(pages + page, page, PROT_NONE);
  char *last = pages + page - 8, *end, small[2] = "";
  memcpy(last, "12,45,xy", 8);
  printf("%d %d %d %d\n", snprintf(NULL, 0, "%d", 17), snprintf(small, 0, "%s", "abc"), size("%d-%s", 3, "x"),
         snprintf(small, sizeof small, "%.3s", last + 5));
  printf("%.*s|%.2s\n", 3, last + 5, last + 6);
  printf("%ld %ld %d %g\n", strtol(last, &end, 10), (long)(end - last), atoi(last + 3), strtod(last + 3, NULL));
  printf("%d\n", (int)((char *)memchr(last, 'y', SIZE_MAX) - last));
  printf("%d %d\n", (int)(strchr(last, ',') - last), (int)((char *)rawmemchr(last, 'x') - last));
  printf("%d %d\n", strncmp(last, "12;", SIZE_MAX) < 0, strncasecmp(last + 6, "XZ", 100) < 0);
  printf("%d %d %d\n", (int)measured((uintptr_t)last, 8), (int)strnlen(last, 8), strcmp(last + 6, "xz") < 0);
  char *copy = strndup(last, 8), joined[16] = "a";
  printf("%s %s\n", copy, strncat(joined, last, 8));
  printf("%s\n", strncpy(joined, "abcdefghijklmnopqrs", 3));
  printf("%d %d\n", (int)strspn(last, "12"), (int)strcspn(last, ","));
  FILE *empty = fopen("/dev/null", "r");
  printf("%d\n", fgets(last, 8, empty) == NULL);
  setvbuf(empty, NULL, _IOFBF, 4096);
  fclose(empty);
  printf("%d %d %d\n", time(NULL) > 0, gettimeofday(NULL, NULL), fflush(NULL));
  time_t now;
  printf("%d\n", time(&now) == now);
  char text[] = "a b";
  printf("%s", strtok(text, " "));
  printf("%s\n", strtok(NULL, " "));
  qsort(NULL, 0, 4, NULL);
  free(NULL);
  free(realloc(NULL, 4));
  printf("%d\n", getenv("NO SUCH VARIABLE") == NULL);
  errno = 2;
  perror(NULL);
  free(copy);
  return 0;
}
