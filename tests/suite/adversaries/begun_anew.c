// Sums, counts and products that one way through the iteration begins anew.
#include <stdio.h>
#define N 130
static int z[N], src[N];
int main(void){
  for(int i=0;i<N;i++) src[i]=i*37%101+3;
  int streak=0, sum=0; double p=1;

  for(int i=0;i<N;i++){ z[i]=src[i]; if(src[i]%4) streak++; else streak=0; }

  for(int i=0;i<N;i++){ sum+=src[i]; if(src[i]==50) sum=0; }

  for(int i=0;i<N;i++){ p*=1.01; if(src[i]==50) p=1; }
  printf("%d %d %g %d\n",streak,sum,p,z[N-1]);
}
