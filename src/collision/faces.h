/* faces.h: flat parts of surfaces, and the common part of two that lie on each other. Private to the collision code.
 *
 * GJK and EPA know one pair of points and a direction. Bodies that lie on each other touch in more: the face of one, cut to the
 * sides of the face of the other. shape_face gives the part of a shape's surface that looks along a direction as a polygon, a line or a
 * point; face_clip cuts one to another; manifold_from_faces makes the contact. */
#ifndef SCREE_COLLISION_FACES_H
#define SCREE_COLLISION_FACES_H

#include "collision/support.h"

enum { FACE_MAX = 32, CLIP_MAX = 2 * FACE_MAX };

/// A face of a shape: relative to its origin, along the world's axes.
typedef struct face_polygon {
    int count;                 /* 1: a point, 2: a line, else a polygon, counter-clockwise seen from outside */
    double at[FACE_MAX][3];    /*                                                                            */
    unsigned vertex[FACE_MAX]; /* features, unique in the shape: of the vertices,                            */
    unsigned edge[FACE_MAX];   /* of the edge from vertex k to k + 1,                                        */
    unsigned face;             /* and of the whole                                                           */
    double normal[3];          /* outward, unit                                                              */
} face_polygon;

/// The face, line or point of the surface that looks most along the unit vector n. Curved sides give the line that touches.
void shape_face(const posed_shape *s, const double n[3], face_polygon *f);

/* ---- face_clip.c ---------------------------------------------------------------------------------------------------- */

/// Face of X in its own plane, convex: side k runs from corner k to k + 1, and a u + b v <= c inside (a, b unit).
typedef struct clip_frame {
    int count;
    double side[FACE_MAX][3];
    double corner[FACE_MAX][2];
    unsigned vertex[FACE_MAX], edge[FACE_MAX], face;
} clip_frame;

/// Face of Y over it: vertices as (u, v, height), the plane's normal likewise.
typedef struct clip_face {
    int count;
    double vertex[FACE_MAX][3];
    unsigned id[FACE_MAX], edge[FACE_MAX], face;
    double normal[3];
} clip_face;

typedef struct clip_point {
    double at[3]; /* u, v, height */
    unsigned of_x, of_y;
} clip_point;

/// The common part of both, seen along the normal of X. What is within `slack` beyond a side counts as inside. Returns how many.
int face_clip(const clip_frame *x, const clip_face *y, double slack, clip_point point[CLIP_MAX]);

/* ---- faces.c -------------------------------------------------------------------------------------------------------- */

/// Normal of a contact and the deepest pair of points, from GJK and EPA, with the digits that faces and touching shapes need. Returns 0
/// if the gap is more than `reach`.
int convex_find(const posed_shape *a, const posed_shape *b, double reach, convex_contact *contact);

/// Contact points of two convex shapes along the given normal: faces cut to each other, or the one pair of points of `contact`.
void manifold_from_faces(const posed_shape *a, const posed_shape *b, const convex_contact *contact, double reach,
                         manifold *m);

/// Any two convex shapes, and a plane with one: what a kind gets that has no function of its own.
pair_function collide_faces, collide_plane_faces;

/// At most MANIFOLD_MAX of the points: the deepest, then each time the one farthest from those kept. Their order stays.
int points_thin(int count, manifold_point *point);

#endif
