C     Adds to each element of an array.
      SUBROUTINE SWEEP(A, N, X)
      INTEGER N, I
      DOUBLE PRECISION A(N), X
      DO 10 I = 1, N
        A(I) = A(I) + X
   10 CONTINUE
      END
