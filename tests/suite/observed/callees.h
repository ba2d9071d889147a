double pure(double x);
double kept(double x);
