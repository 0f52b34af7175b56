/* hello_world.c: a ball is thrown along a floor and rolls to rest: a world, stepped with libscree. Valid C and C++;
 * docs/embedding.md builds it.
 *
 * Rolling with v = R w it slows down by a = 5/7 g rho/R, so it comes to rest after v^2/(2 a) = 5.5747 m. */
#include <scree/scree.h>

#include <stdio.h>

static int fail(const scree_error *error)
{
    char text[600];
    fprintf(stderr, "%s\n", scree_error_format(error, text, sizeof text));
    return 1;
}

static scree_status build(scree_world *world, int *ball, scree_error *error)
{
    scree_material stone = scree_material_default("stone");
    int material, floor_body;
    stone.density = 2500.0;
    stone.friction.mu = 0.2, stone.friction.rolling.value = 0.04; /* [m] */
    scree_status status = scree_world_add_material(world, &stone, &material, error);
    if (status != SCREE_OK) return status;

    scree_shape plane = scree_shape_plane(material), sphere = scree_shape_sphere(0.5, material);
    scree_body_def body = scree_body_def_default();
    body.kind = SCREE_BODY_FIXED, body.name = "floor", body.shape = &plane, body.shape_count = 1;
    status = scree_world_add_body(world, &body, &floor_body, error);
    if (status != SCREE_OK) return status;
    body = scree_body_def_default();
    body.name = "ball", body.shape = &sphere, body.shape_count = 1;
    body.position[2] = 0.5, body.velocity[0] = 2.5, body.spin[1] = 5.0;
    return scree_world_add_body(world, &body, ball, error);
}

int main(void)
{
    scree_error error = {0};
    scree_world_options world_options = scree_world_options_default();
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = SCREE_SCHEME_MOREAU_JEAN, options.step = 5e-3;
    scree_world *world = NULL;
    scree_stepper *stepper = NULL;
    scree_step_report report;
    int ball = 0;
    scree_status status = scree_world_create(&world_options, NULL, &world, &error);
    if (status == SCREE_OK) status = scree_stepper_create(&options, NULL, &stepper, &error);
    if (status == SCREE_OK) status = build(world, &ball, &error);
    while (status == SCREE_OK && scree_world_time(world) < 6.0) status = scree_step(stepper, world, &report, &error);
    if (status == SCREE_OK)
        printf("at rest after %.4f m, %.0f J went into rolling\n", scree_world_positions(world)[3 * ball],
               scree_stepper_totals(stepper)->energy.roll);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
    return status == SCREE_OK ? 0 : fail(&error);
}
