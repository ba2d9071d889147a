C     Fortran in fixed form: 6 phases marked by comments.
C     phases: 6
      PROGRAM FIXED
      IMPLICIT NONE
      INTEGER STEP
      REAL X
      X = 1.0
      DO 10 STEP = 1, 6
C$OMPP PHASE START A.NAME
        CALL HALVE(X)
c$ompp phase end A.NAME
   10 CONTINUE
      PRINT '(F0.4)', X
      END
      SUBROUTINE HALVE(X)
      REAL X
      X = X * 0.5 + 1.0
      END
