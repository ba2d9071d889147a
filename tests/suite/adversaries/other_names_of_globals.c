/* Once a wrong directive: three other names of a global: line 11 const struct of pointers (lastprivate(t4)), line 13 alias attribute (lastprivate(t3)), line 15 asm label
   (lastprivate(t7), complete). */
#include <stdio.h>
#define N 2000
double a[N], b[N], t3, t4, t7;
static const struct { double *p; } tab = { &t4 };
extern double t5 __attribute__((alias("t3")));
extern double t7b __asm__("t7");
int main(void){ int i; double s = 0;
 for (i = 0; i < N; i++) a[i] = i;
 for (i = 0; i < N; i++) { /*S*/
  t4 = a[i]; b[i] += *tab.p; }
 for (i = 0; i < N; i++) { /*S*/
  t3 = a[i]; b[i] += t5; }
 for (i = 0; i < N; i++) { /*S*/
  t7 = a[i]; b[i] += t7b; }
 for (i = 0; i < N; i++) s += b[i];
 printf("%g\n", s); return 0; }
