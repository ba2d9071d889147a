// A function that keeps an address the first time it gets it, in front of the loop.
#include <stdio.h>
#define N 100
static long z[N];
struct err { int code; int line; };
static struct err *cur;
__attribute__((noinline)) static void begin(struct err *e){ if(!cur) cur=e; e->code=0; e->line=0; }
__attribute__((noinline)) static int work(int i){ if(i%3==0){ cur->code=i; cur->line=7; } return i*2; }
int main(void){
  struct err e;
  begin(&e);
  work(3);
  for(int i=0;i<N;i++){
    begin(&e);
    z[i]=work(i);
    if(e.code) z[i]-=e.code+e.line;
  }
  long h=0; for(int i=0;i<N;i++) h=h*31+z[i];
  printf("%ld\n",h);
}
