// The statement that inlined.c includes.
result = values[7];
