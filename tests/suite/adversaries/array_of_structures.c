/* Once a directive that does not compile: line 7 `reduction(+:cells)` (complete): an array of structures ("list item of type 'struct C' is not valid for specified reduction operation"). */
#include <stdio.h>
#define N 20000
struct C { int n; double s; } cells[32];
int main(void){ int i;

 for (i = 0; i < N; i++) { /*?*/
  cells[i*7&31].n++; cells[i*7&31].s += i; }
 printf("%d %g\n", cells[3].n, cells[5].s); return 0; }
