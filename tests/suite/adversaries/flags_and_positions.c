/* Once wrong words (3 loops: 9, 13, 17): DOACROSS because "whether there is another iteration is decided in the one before: by the loop's test or an exit": both loops count
   to a constant without any exit. (9: an `or`; the true reason would be: reduction(|:found) / reduction(max:); 13: the last one that matches = reduction(max:last)) */
#include <stdio.h>
#define N 3000
double a[N];
int main(void){ int i, found = 0, last = -1;
 for (i = 0; i < N; i++) a[i] = (i*7919%1000)/100.0;
 for (i = 0; i < N; i++) { /*P*/
  if (a[i] > 9.5) found = 1; }

 printf("%d\n", found);
 for (i = 0; i < N; i++) {
  if (a[i] > 9) last = i; }
 printf("%d\n", last); return 0; }
