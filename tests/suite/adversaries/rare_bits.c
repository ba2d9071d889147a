/* Bits of one byte belong to eight iterations. In this run no two of them met in one: the directives had no `reduction(|:bits)`, with which other
 * inputs (another `k`) lose bits. */
#include <stdio.h>
#include <stdlib.h>
static int a[4000]; static unsigned char bits[501];
int main(int argc,char**argv){
  int n=argc>1?atoi(argv[1]):4000,k=argc>2?atoi(argv[2]):96;
  for(int q=0;q<4000;q++) a[q]=q*31%97;
  for(int q=0;q<n;q++)
    if(a[q]>=k) bits[q>>3]|=1<<(q&7);
  for(int q=0;q<n;q++)
    if(a[q]==96) bits[q>>3]|=1<<(q&7);
  for(int q=0;q<n;q++)
    if(a[q]>=k) bits[q/8]^=a[q]<<1;
  unsigned h=0; for(int q=0;q<n/8;q++) h=h*31+bits[q]; printf("%u\n",h);
  return 0; }
