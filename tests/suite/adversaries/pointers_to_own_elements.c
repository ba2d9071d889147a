/* Pointers that every iteration sets to its own element of an array of structures. */
#include <stdio.h>
#define NP 1000
typedef struct { double x; int cell, id; } p2;
static p2 qs[NP]; static int arr[NP];
int main(void) { int i; double s = 0; p2 *z;
  for (i = 0; i < NP; i++) {
    p2 *p = &qs[i];
    p->cell = arr[i];
    p->id = i; }
  for (i = 0; i < NP; i++) {
    z = &qs[i];
    z->x = z->id * 2; }
  for (i = 0; i < NP; i++) {
    z = qs + i;
    z->x += 1;
    z->cell += 1; }
  for (i = 0; i < NP; i++)
    s += qs[i].x + qs[i].cell;
  printf("%g\n", s); return 0; }
