// The first part of the `for` reads a member, or the size of a vector behind a reference, that one iteration changes.
#include <cstdio>
#include <vector>
class Pool { std::vector<int> used_; int first_=0, n_; public: 
  Pool(int n):used_(n),n_(n){}
  void mark(int k){
    for(int i=first_;i<n_;i++) {
      used_[i]+=1;
      if(i==k) first_=i+1;
    }
  }
  void mark2(int k){
    for(int i=first_;i<n_;i++) {
      used_[i]+=2;
      if(i==k) reset();
    }
  }
  void reset(){ first_=7; }
  long halve(){
    for(std::size_t i=used_.size();i>0;--i) {
      used_[i-1]*=2; if(i==1) used_.pop_back();
    }
    return used_.size(); } long sum() const { long s=first_; for(std::size_t i=0;i<used_.size();i++) s+=used_[i]*long(i%7); return s; }
};
long halve(std::vector<int>& v){
  for(std::size_t i=v.size();i>0;--i) {
    v[i-1]*=2; if(i==1) v.pop_back();
  }
  return v.size(); }
int main(){ Pool p(3000); p.mark(0); printf("%ld\n",p.sum()); p.mark2(3); p.mark(7); printf("%ld\n",p.sum()); printf("%ld\n",p.halve()); std::vector<int> v(3000,1); printf("%ld %d\n",halve(v),v[5]); }
