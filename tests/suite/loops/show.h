/* Prints a number that depends on every byte of an object, so that runs of the labelled loops can be compared. */
#ifndef SHOW_H
#define SHOW_H
#include <stddef.h>
#include <stdio.h>
static void show(const void *object, size_t bytes) {
  const unsigned char *p = (const unsigned char *)object;
  unsigned long h = 14695981039346656037ul;
  while (bytes--)
    h = (h ^ *p++) * 1099511628211ul;
  printf("%016lx\n", h);
}
#define SHOW(object) show(&(object), sizeof(object))
#endif
