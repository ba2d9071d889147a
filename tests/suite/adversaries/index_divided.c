/* Once too sure: line 8 `#pragma omp parallel for` is "complete" ("the source proves the clauses"), line 12 (plain store) "observed"; yet with
   argument 3 the iterations of line 8 meet (w[i / m] -= 2) and the directive loses updates. The source proves nothing about i / m (nor (i*m)&4095). */
#include <stdio.h>
#include <stdlib.h>
#define N 200000
double w[2*N];
int main(int argc,char**argv){ int i; double s = 0; int m = argc > 1 ? atoi(argv[1]) : 1;
 for (i = 0; i < N; i++)  /*?*/
  w[i / m] -= 2; 
 for (i = 0; i < N; i++) s += w[i];
 printf("%g\n", s);
 for (i = 0; i < N; i++)  /*?*/
  w[i / m] = i; 
 printf("%g\n", w[7]);
 return 0; }
