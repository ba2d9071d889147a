/* Wrong lines: of locals that are set behind a condition, the writing line is that of the condition. (2026-11-25) */
#include <stdio.h>
#include <math.h>
#define N 1000
static unsigned data[N]; static int out[N]; static double dv[N];
int main(int argc,char**argv){
  for(int i=0;i<N;i++) data[i]=(i*7919u)%251;
  unsigned st=argc;
  for(int i=0;i<N;i++){        /* L8: else arm always */
    st = data[i]>300 ? st*3+1 : st/2+7;
    out[i]^=st;
  }
  for(int i=0;i<N;i++){        /* L12: then arm always */
    st = data[i]<300 ? st*3+1 : st/2+7;
    out[i]^=st;
  }
  for(int i=0;i<N;i++){        /* L16: if else, else always */
    if (data[i]>300) st = st*3+1; else st = st/2+7;
    out[i]^=st;
  }
  for(int i=0;i<N;i++){        /* L20: multi-line if else, half */
    if (data[i]>125)
      st = st*3+1;
    else
      st = st/2+7;
    out[i]^=st;
  }
  double sat=0;int w37=0,w38=0,w39=0;
  for(int i=0;i<N;i++){       /* L28 */
    sat = sat + (data[i]-125.0);
    if (sat>1000)
      sat=1000;
    if (sat<0)
      sat=0;
    dv[i]+=sat;
  }
  { double s=0; int prevw=0; for(int i=0;i<N;i++){ if(prevw==1)w37++; if(prevw==2)w38++; if(prevw==3)w39++; s+=data[i]-125.0; prevw=1; if(s>1000){s=1000;prevw=2;} if(s<0){s=0;prevw=3;} } }
  printf("%u %g | truth: line29 %d line31 %d line33 %d\n",st,dv[N-1]+out[3],w37,w38,w39);
}
