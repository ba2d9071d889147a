/* Refused, the sum of a structure's members (local): line 8 "`s` can carry a value from one iteration to the next: compute it anew in every iteration, or from the loop's index" - it is
   DOALL_REDUCTION, the words must be those for reductions. */
#include <stdio.h>
#define N 2000
struct V { double x, y, z; }; struct V vs[N];
int main(void){ int i; struct V s = {0,0,0};
 for (i = 0; i < N; i++) { vs[i].x = i; vs[i].y = 2*i; }
 for (i = 0; i < N; i++) { /*P*/
  s.x += vs[i].x; s.y += vs[i].y; s.z += vs[i].z; }
 printf("%g %g %g\n", s.x, s.y, s.z); return 0; }
