/* soft_contacts.c: a ball bounces on a floor with soft contacts (DEM, Hertz's law). Valid C and C++; docs/embedding.md explains it.
 *
 * It meets the floor at 2 m/s without gravity and leaves it at e times that speed, whatever its stiffness: e = 0.7 here. */
#include <scree/scree.h>

#include <stdio.h>

int main(void)
{
    scree_error e = {0}; /* once a call fails, those after it do nothing: checked once, below */
    scree_world_options space = scree_world_options_default();
    space.gravity[2] = 0;
    scree_world *w = scree_world_create(&space, &e);
    scree_material rubber = scree_material_default("rubber");
    rubber.density = 1100, rubber.friction.mu = 0.5, rubber.friction.restitution = 0.7;
    rubber.soft.young = 1e7, rubber.soft.poisson = 0.45; /* [Pa], [-] */
    scree_material_id m = scree_world_add_material(w, &rubber, &e);
    scree_world_add_fixed(w, scree_shape_plane(m), &e);
    scree_body_def ball = scree_body_def_of(scree_shape_sphere(0.05, m));
    ball.position[2] = 0.06, ball.velocity[2] = -2.0;
    scree_body_id b = scree_world_add_body(w, &ball, &e);

    scree_stepper_options o = scree_stepper_options_default();
    o.scheme = SCREE_SCHEME_DEM, o.step = 1e-6;
    scree_stepper *s = scree_stepper_create(&o, &e);
    double limit = 0.0; /* the largest stable step; an error names the grain that has it */
    scree_stepper_check(s, w, &limit, &e);
    while (scree_world_time(w) < 0.02 && !e.status) scree_step(s, w, &e);

    if (!e.status)
        printf("leaves the floor at %.3f of the speed at which it came\n",
               scree_world_velocities(w)[3 * scree_body_index(b) + 2] / 2.0);
    else fprintf(stderr, "%s\n", e.text);
    scree_stepper_destroy(s);
    scree_world_destroy(w);
    return e.status != SCREE_OK;
}
