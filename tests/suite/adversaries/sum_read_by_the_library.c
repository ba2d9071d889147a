// A function of the library reads a sum through a pointer, in the iteration that adds to it.
#include <stdio.h>
#include <string.h>
#define N 100
static int z[N]; long total; static long *tp=&total; static const long mark[1]={1000};
int main(void){

  for(int i=0;i<N;i++){ total+=i; z[i]=memcmp(tp,mark,sizeof total)>0; }
  int h=0; for(int i=0;i<N;i++) h+=z[i]*(i+1);
  printf("%d %ld\n",h,total);
}
