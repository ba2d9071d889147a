/* ARGS: 4000 96 | 4000 -1 */
/* Lesser (observed, and the printed plan does not tell it from complete): lines 9 and 13; see with schedule(monotonic:dynamic,1), args 4000 -1: bits of one byte belong to eight iterations; none met in the run, so no reduction(|:bits) and no race seen. */
#include <stdio.h>
#include <stdlib.h>
static int a[4000]; static unsigned char bits[501];
int main(int argc,char**argv){
  int n=atoi(argv[1]),k=atoi(argv[2]);
  for(int q=0;q<4000;q++) a[q]=q*31%97;
  for(int q=0;q<n;q++)
    if(a[q]>=k) bits[q>>3]|=1<<(q&7);
  for(int q=0;q<n;q++)
    if(a[q]==96) bits[q>>3]|=1<<(q&7);
  for(int q=0;q<n;q++)
    if(a[q]>=k) bits[q/8]^=a[q]<<1;
  unsigned h=0; for(int q=0;q<n/8;q++) h=h*31+bits[q]; printf("%u\n",h);
  return 0; }
