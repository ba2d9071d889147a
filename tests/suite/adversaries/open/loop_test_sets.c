/* Wrong words: what the loop's own test sets (fgets, *p++) is said to come from one iteration earlier. (2026-11-25) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void){
  FILE *fp=tmpfile(); char ln[32]; long sum=0; int x;
  for(int i=0;i<200;i++) fprintf(fp,"%d\n",i*37%101);
  rewind(fp);
  while(fgets(ln,sizeof ln,fp))
    sum+=atoi(ln);
  rewind(fp);
  while(fscanf(fp,"%d",&x)==1)
    sum+=x*x;
  rewind(fp);
  int c;
  while((c=getc(fp))!=EOF)
    sum+=c;
  int v[64]={0}, n=0, k;
  while(n<60 && (k=(n*7+3)%11, v[n]=k, k!=20)){
    sum+=v[n]*k;
    n++;
  }
  printf("%ld\n",sum);
}
