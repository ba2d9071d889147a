#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static volatile long x;
static void*work(void*p){for(;;)x++;return p;}
int main(){pthread_t t;for(int i=0;i<4;i++)pthread_create(&t,0,work,0);usleep(100000);exit(42);}
