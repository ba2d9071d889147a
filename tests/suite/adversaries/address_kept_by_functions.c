// Functions that keep the address of a local, which is used after the loop.
#include <stdio.h>
#include <string.h>
#define N 100
struct obj { int *scratch; int id; };
static struct obj objs[N]; static int *tab[N];
__attribute__((noinline)) static void obj_init(struct obj *o,int *scratch,int id){ o->scratch=scratch; o->id=id; memset(scratch,0,16*sizeof *scratch); }
__attribute__((noinline)) static void put(int *p,int i){ tab[i]=p; *p=i; }
__attribute__((noinline)) static void run(struct obj *a,struct obj *b,int v){ a->scratch[0]=v; printf("%d\n",b->scratch[0]); }
int main(void){
  int scratch[16];

  for(int i=0;i<N;i++)
    obj_init(&objs[i],scratch,i);
  int a;

  for(int i=0;i<N;i++)
    put(&a,i);
  run(&objs[0],&objs[N-1],42);
  *tab[0]=5; *tab[N-1]=6;
  printf("%d\n",*tab[0]);
}
