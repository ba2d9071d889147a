/* Refused, in wrong words: line 7 DOACROSS, "whether there is another iteration is decided in the one before" - a packed struct, every iteration its own element. */
#include <stdio.h>
#define N 2000
struct __attribute__((packed)) pkt { unsigned char t; unsigned v; unsigned short c; }; struct pkt pk[N];
int main(void){ int i; unsigned s = 0;

 for (i = 0; i < N; i++) { /*P*/
  pk[i].t = i; pk[i].v = i*3; pk[i].c = pk[i].t + pk[i].v; }
 for (i = 0; i < N; i++) s += pk[i].c;
 printf("%u\n", s); return 0; }
