#include <pthread.h>
#include <stdio.h>
#include <stdatomic.h>
static atomic_long total; static pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER; static long plain;
static void*work(void*p){for(long i=0;i<20000;i++){atomic_fetch_add(&total,i);pthread_mutex_lock(&m);plain+=i;pthread_mutex_unlock(&m);}return p;}
int main(){pthread_t t[8];for(int k=0;k<40;k++){for(long i=0;i<8;i++)pthread_create(&t[i],0,work,(void*)i);for(int i=0;i<8;i++)pthread_join(t[i],0);}printf("%ld %ld\n",(long)total,plain);return 5;}
