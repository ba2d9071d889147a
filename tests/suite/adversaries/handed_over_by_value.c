/* Once DOACROSS: what is handed over by value was taken for what an earlier call had left there. */
#include <stdio.h>
#include <math.h>
typedef struct { double x,y,z; } Vec; typedef struct { Vec o,d; } Ray; typedef struct { Vec c; double r; int mat; } Sphere;
static Vec add(Vec a,Vec b){ Vec r={a.x+b.x,a.y+b.y,a.z+b.z}; return r; }
static Vec sub(Vec a,Vec b){ return (Vec){a.x-b.x,a.y-b.y,a.z-b.z}; }
static Vec mul(Vec a,double k){ return (Vec){a.x*k,a.y*k,a.z*k}; }
static double dot(Vec a,Vec b){ return a.x*b.x+a.y*b.y+a.z*b.z; }
static Vec norm(Vec a){ return mul(a,1/sqrt(dot(a,a))); }
static int hit(Ray r,Sphere s,double*t){ Vec oc=sub(r.o,s.c); double b=dot(oc,r.d),c=dot(oc,oc)-s.r*s.r,d=b*b-c; if(d<0) return 0; *t=-b-sqrt(d); return *t>1e-4; }
static Sphere sp[4]={{{0,0,-3},1,0},{{1,0,-4},1,1},{{-1,1,-5},1,0},{{0,-100,-4},99,1}};
static Vec trace(Ray r,int depth){ double best=1e30,t; int k=-1; for(int i=0;i<4;i++) if(hit(r,sp[i],&t)&&t<best){ best=t; k=i; } if(k<0) return (Vec){.5,.7,1}; Vec p=add(r.o,mul(r.d,best)),n=norm(sub(p,sp[k].c)); if(depth<2&&sp[k].mat){ Ray q={p,sub(r.d,mul(n,2*dot(r.d,n)))}; return mul(trace(q,depth+1),.8); } double l=dot(n,norm((Vec){1,1,1})); return mul((Vec){1,.5,.2},l>0?l:0); }
int main(){ int W=40,H=30; static Vec img[40*30]; static unsigned char out[40*30*3]; 
 for(int y=0;y<H;y++){ /*P*/
  for(int x=0;x<W;x++){ /*P*/
   Ray r={{0,0,0},norm((Vec){(x-W/2.)/W,(H/2.-y)/H,-1})}; img[y*W+x]=trace(r,0); } }
 for(int i=0;i<W*H;i++){ /*P*/
  out[3*i]=img[i].x*255; out[3*i+1]=img[i].y*255; out[3*i+2]=img[i].z*255; }
 long s=0; 
 for(int i=0;i<W*H*3;i++) s+=out[i]*(i%101L); /*P*/
 double e=0;
 for(int i=0;i<W*H;i++) e+=dot(img[i],img[i]); /*P*/
 printf("%ld %g\n",s,e); }
