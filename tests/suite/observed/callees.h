// Functions of callees.c, which main.c calls from its loops.
double pure(double x);
double kept(double x);
