/* Once a directive that does not compile: `reduction(+:EH)` (complete): at the loop EH has the incomplete type `int[]` ("a reduction list item with incomplete type");
   the usual `extern int EH[];` of a header with the definition further down. */
#include <stdio.h>
#define N 2000
extern int EH[];
int main(void){ int i;

 for (i = 0; i < N; i++) /*?*/
  EH[i * 7 & 15]++;
 printf("%d\n", EH[3]); return 0; }
int EH[16];
