/* rotation.h: the free rotation of a rigid body, with its energy and its angular momentum kept. docs/math/stepping.md section 3 */
#ifndef SCREE_STEP_ROTATION_H
#define SCREE_STEP_ROTATION_H

/// What the principal moments say about a free rotation.
typedef enum inertia_kind {
    INERTIA_SYMMETRIC_X = 0, /* axis of symmetry x: the moments about y and z are equal */
    INERTIA_SYMMETRIC_Y,
    INERTIA_SYMMETRIC_Z,
    INERTIA_ISOTROPIC,
    INERTIA_TRIAXIAL
} inertia_kind;
inertia_kind inertia_classify(const double inertia[3]);

/// Turns q and omega (body frame) by `h` seconds of free rotation: q L = const in space, omega.L = const, L = inertia omega.
void rotation_free(const double inertia[3], double h, double q[4], double omega[3]);

/// The same where only the rotation about omega is possible (planar worlds): omega stays as it is.
void rotation_about_axis(double h, double q[4], const double omega[3]);

#endif
