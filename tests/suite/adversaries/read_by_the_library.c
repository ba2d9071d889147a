// Strings and formats that functions of the library read, files read and mapped again, handlers that are called later.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <wchar.h>
#define N 120
static int b[N],c[N]; static char t[N][32];
static long sum(const int *p,int n){ long s=0; for(int i=0;i<n;i++) s=s*31+p[i]; return s; }
int main(void){
  for(int i=0;i<N;i++) b[i]=(i*7919+13)%251;
  char fm[8]; strcpy(fm,"%0xd");
  for(int i=0;i<N;i++){ //@ I-storage fm[2] set before use; rest from before the loop (firstprivate)
    fm[2]='1'+i%9;
    snprintf(t[i],32,fm,b[i]);
  }
  for(int i=0;i<N;i++) c[i]=strlen(t[i])+t[i][0];
  printf("%ld\n",sum(c,N));
  static char gf[8]; strcpy(gf,"%d");
  for(int i=0;i<N;i++){ //@ D gf
    sprintf(t[i],gf,b[i]);
    gf[1]=b[i]&1?'x':'d';
  }
  for(int i=0;i<N;i++) c[i]=strlen(t[i])+t[i][0];
  printf("%ld\n",sum(c,N));
  FILE *f=tmpfile(); int fd=fileno(f); if(ftruncate(fd,4096)) return 2; 
  for(int i=0;i<N;i++){ //@ D file: pwrite in iteration 5 only
    char ch=0;
    if(i==5){ char q='x'; if(pwrite(fd,&q,1,7)<0) abort(); }
    if(pread(fd,&ch,1,7)<0) abort();
    c[i]=ch;
  }
  printf("%ld\n",sum(c,N));
  for(int i=0;i<N;i++){ //@ D file through mmap/munmap
    int *m=mmap(0,4096,PROT_READ|PROT_WRITE,MAP_SHARED,fd,0);
    c[i]=m[0]; m[0]=m[0]*3%101+b[i];
    munmap(m,4096);
  }
  printf("%ld\n",sum(c,N));
  int *m=mmap(0,4096,PROT_READ|PROT_WRITE,MAP_SHARED,fd,0); m[0]=3;
  for(int i=0;i<N;i++){ //@ D m[0] through pread/mapping
    int v=0; if(pread(fd,&v,4,0)<0) abort();
    c[i]=v; m[0]=v*3%101+b[i];
  }
  printf("%ld\n",sum(c,N));
  wchar_t ws[8]=L"a";
  for(int i=0;i<N;i++){ //@ D ws by %ls
    snprintf(t[i],32,"%ls",ws);
    ws[0]=L'a'+b[i]%26;
  }
  for(int i=0;i<N;i++) c[i]=t[i][0];
  printf("%ld\n",sum(c,N));
  char pre[8]="q";
  for(int i=0;i<N;i++){ //@ D pre by %s with width in argument
    snprintf(t[i],32,"%-*s|%3$d",4,pre,b[i]);
    pre[0]='a'+b[i]%26;
  }
  for(int i=0;i<N;i++) c[i]=t[i][0];
  printf("%ld\n",sum(c,N));
  for(int i=0;i<N;i++){ //@ D pre by %2$s
    snprintf(t[i],32,"%2$s %1$d",b[i],pre);
    pre[0]='a'+b[i]%26;
  }
  for(int i=0;i<N;i++) c[i]=t[i][0];
  printf("%ld\n",sum(c,N));
  const char *fmts[2]={"%d %s","%d-%s"};
  for(int i=0;i<N;i++){ //@ D pre by %s of a format chosen at run time
    snprintf(t[i],32,fmts[i&1],b[i],pre);
    pre[0]='a'+b[i]%26;
  }
  for(int i=0;i<N;i++) c[i]=t[i][strlen(t[i])-1];
  printf("%ld\n",sum(c,N));
  char key[8]="12";
  for(int i=0;i<N;i++){ //@ D key by strtod
    double d=strtod(key,0); c[i]=(int)d; key[0]='1'+b[i]%9; }
  printf("%ld\n",sum(c,N));
  char path[32]="/proc/self/stat";
  for(int i=0;i<N;i++){ //@ D path by access
    c[i]=access(path,R_OK); path[11]=i&1?'s':'q'; }
  printf("%ld\n",sum(c,N));
  char src[40]="abcdefghij"; 
  for(int i=0;i<N;i++){ //@ D src by strncpy / memccpy
    char d[16]={0}; memccpy(d,src,'j',10); c[i]=d[3]; src[3]='a'+b[i]%26; }
  printf("%ld\n",sum(c,N));
  int st=0;
  for(int i=0;i<4;i++){ //@ D? fork
    pid_t p=fork(); if(p==0) _exit(b[i]&7); waitpid(p,&st,0); c[i]=WEXITSTATUS(st); }
  printf("%ld\n",sum(c,4));
  return 0; }
