#include <signal.h>
#include <stdio.h>
#include <setjmp.h>
#include <string.h>
#include <unistd.h>
#include <sys/time.h>
#include <sys/mman.h>
static sigjmp_buf b; static volatile int alarms, segv; static char*page;
static void onseg(int s,siginfo_t*i,void*c){segv++; mprotect(page,4096,PROT_READ|PROT_WRITE);}
static void onalrm(int s){alarms++;}
static void onusr(int s){siglongjmp(b,s);}
int main(){struct sigaction a;memset(&a,0,sizeof a);a.sa_sigaction=onseg;a.sa_flags=SA_SIGINFO;sigaction(SIGSEGV,&a,0);
 signal(SIGALRM,onalrm);signal(SIGUSR1,onusr);
 page=mmap(0,4096*16,PROT_READ,MAP_PRIVATE|MAP_ANONYMOUS,-1,0);
 for(int i=0;i<100;i++){mprotect(page,4096,PROT_READ);page[i]=i; memset(page+100,i,200); __asm__ volatile("rep stosb"::"D"(page+400),"c"(100L),"a"(i):"memory");}
 struct itimerval it={{0,2000},{0,2000}};setitimer(ITIMER_REAL,&it,0);
 volatile double x=0; while(alarms<50){for(int i=0;i<1000;i++)x+=i*0.5;}
 memset(&it,0,sizeof it);setitimer(ITIMER_REAL,&it,0);
 volatile int n=0; if(sigsetjmp(b,1)<20){n++; if(n<20)raise(SIGUSR1);}
 printf("segv %d n %d\n",segv,n); return 0;}
