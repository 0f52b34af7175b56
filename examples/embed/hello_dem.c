/* hello_dem.c: a ball bounces on a floor with soft contacts (DEM, Hertz's law), stepped with libscree. Valid C and C++;
 * docs/embedding.md builds it.
 *
 * It meets the floor at 2 m/s without gravity and leaves it at e times that speed, whatever its stiffness: e = 0.7 here. */
#include <scree/scree.h>

#include <stdio.h>

static scree_status build(scree_world *world, scree_error *error)
{
    int material, body;
    scree_material rubber = scree_material_default("rubber");
    rubber.density = 1100.0;
    rubber.friction.mu = 0.5, rubber.friction.restitution = 0.7;
    scree_dem_set(&rubber.dem, SCREE_DEM_YOUNG, 1e7); /* [Pa] */
    scree_dem_set(&rubber.dem, SCREE_DEM_POISSON, 0.45);
    scree_status status = scree_world_add_material(world, &rubber, &material, error);
    if (status != SCREE_OK) return status;

    scree_shape plane = scree_shape_plane(material), sphere = scree_shape_sphere(0.05, material);
    scree_body_def def = scree_body_def_default();
    def.kind = SCREE_BODY_FIXED, def.name = "floor", def.shape = &plane, def.shape_count = 1;
    status = scree_world_add_body(world, &def, &body, error);
    if (status != SCREE_OK) return status;
    def = scree_body_def_default();
    def.name = "ball", def.shape = &sphere, def.shape_count = 1;
    def.position[2] = 0.06, def.velocity[2] = -2.0;
    return scree_world_add_body(world, &def, &body, error);
}

int main(void)
{
    char text[600];
    scree_error error = {0};
    scree_world_options world_options = scree_world_options_default();
    world_options.gravity[2] = 0.0;
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = SCREE_SCHEME_DEM, options.step = 1e-6;
    scree_world *world = NULL;
    scree_stepper *stepper = NULL;
    scree_step_report report;
    scree_status status = scree_world_create(&world_options, NULL, &world, &error);
    if (status == SCREE_OK) status = scree_stepper_create(&options, NULL, &stepper, &error);
    if (status == SCREE_OK) status = build(world, &error);
    if (status == SCREE_OK) status = scree_stepper_check(stepper, world, NULL, &error);
    if (status == SCREE_OK) status = scree_advance(stepper, world, 20000, &report, &error);
    if (status == SCREE_OK)
        printf("leaves the floor at %.3f of the speed at which it came\n", scree_world_velocities(world)[5] / 2.0);
    else fprintf(stderr, "%s\n", scree_error_format(&error, text, sizeof text));
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
    return status != SCREE_OK;
}
