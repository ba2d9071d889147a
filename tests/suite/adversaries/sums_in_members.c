/* Sums in the members of a local structure. */
#include <stdio.h>
#define N 2000
struct V { double x, y, z; }; struct V vs[N];
int main(void){ int i; struct V s = {0,0,0};
 for (i = 0; i < N; i++) { vs[i].x = i; vs[i].y = 2*i; }
 for (i = 0; i < N; i++) {
  s.x += vs[i].x; s.y += vs[i].y; s.z += vs[i].z; }
 printf("%g %g %g\n", s.x, s.y, s.z); return 0; }
