#include <unistd.h>
#include <sys/wait.h>
#include <stdio.h>
#include <spawn.h>
#include <stdlib.h>
extern char**environ;
int main(){int s=0,t=0;for(int i=0;i<5;i++){pid_t p=fork();if(!p){long x=0;for(int k=0;k<100000;k++)x+=k*i;_exit(x&7);}int st;waitpid(p,&st,0);s+=WEXITSTATUS(st);}
 for(int i=0;i<5;i++){pid_t p;char*a[]={"sh","-c","exit 3",0};posix_spawn(&p,"/bin/sh",0,0,a,environ);int st;waitpid(p,&st,0);t+=WEXITSTATUS(st);}
 pid_t p=vfork();if(!p){execl("/nonexistent","x",(char*)0);_exit(9);}int st;waitpid(p,&st,0);
 int u=system("true");
 printf("%d %d %d %d\n",s,t,WEXITSTATUS(st),u);return 0;}
