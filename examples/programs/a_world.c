/* a_world.c: a ball is thrown along a floor and rolls to rest: a world of rigid bodies, stepped. Valid C and C++; docs/embedding.md
 * explains it.
 *
 * Rolling with v = R w it slows down by a = 5/7 g rho/R, so it comes to rest after v^2/(2 a) = 5.5747 m. */
#include <scree/scree.h>

#include <stdio.h>

int main(void)
{
    scree_error e = {0}; /* once a call fails, those after it do nothing: checked once, below */
    scree_world *w = scree_world_create(NULL, &e);
    scree_material stone = scree_material_default("stone");
    stone.density = 2500;
    stone.friction.mu = 0.2, stone.friction.rolling.value = 0.04; /* rho [m] */
    scree_material_id m = scree_world_add_material(w, &stone, &e);
    scree_world_add_fixed(w, scree_shape_plane(m), &e);
    scree_body_def ball = scree_body_def_of(scree_shape_sphere(0.5, m));
    ball.position[2] = 0.5, ball.velocity[0] = 2.5, ball.spin[1] = 5.0;
    scree_body_id b = scree_world_add_body(w, &ball, &e);

    scree_stepper_options o = scree_stepper_options_default();
    o.scheme = SCREE_SCHEME_MOREAU_JEAN, o.step = 5e-3;
    scree_stepper *s = scree_stepper_create(&o, &e);
    while (scree_world_time(w) < 6.0 && !e.status) scree_step(s, w, &e);

    scree_world_view view;
    if (scree_world_read(w, SCREE_READ_MOTION, &view, &e) == SCREE_OK)
        printf("at rest after %.4f m, %.0f J went into rolling\n", view.positions[3 * scree_body_index(b)],
               scree_stepper_totals(s)->energy.roll);
    else fprintf(stderr, "%s\n", e.text);
    scree_stepper_destroy(s);
    scree_world_destroy(w);
    return e.status != SCREE_OK;
}
