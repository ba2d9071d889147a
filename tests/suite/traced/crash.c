#include <stdio.h>
#include <stdlib.h>
int main(int c,char**v){long s=0;for(int i=0;i<100000;i++)s+=i*c;printf("%ld\n",s);fflush(stdout);if(c>1)abort();*(volatile int*)(long)(s&7)=1;return 0;}
