/* A function that gives back a structure of more than two words: its local is no memory that iterations share. */
#include <stdio.h>
#define N 2000
struct V { double x, y, z; }; struct V vs[N], us[N]; static struct V add(struct V p, struct V q){ struct V r; r.x=p.x+q.x; r.y=p.y+q.y; r.z=p.z+q.z; return r; }
int main(void){ int i; double s = 0;
 for (i = 0; i < N; i++) vs[i].x = i;

 for (i = 0; i < N; i++)
  us[i] = add(vs[i], vs[i]);
 for (i = 0; i < N; i++) s += us[i].x;
 printf("%g\n", s); return 0; }
