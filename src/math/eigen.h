/* eigen.h: principal axes of a symmetric 3 x 3 matrix, and the quaternion of a rotation matrix. */
#ifndef SCREE_MATH_EIGEN_H
#define SCREE_MATH_EIGEN_H

/// Eigenvalues d and eigenvectors (columns of the rotation matrix R, row-major) of the symmetric A: A = R diag(d) R'. The axes stay
/// as near to those of A as they can: R is the identity if A is diagonal up to rounding.
void symmetric_eigen(const double A[9], double d[3], double R[9]);

/// Unit quaternion of a rotation matrix, row-major.
void matrix_quat(const double R[9], double q[4]);

#endif
