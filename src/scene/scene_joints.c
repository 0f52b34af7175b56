/* scene_joints.c: joints of a scene: names that must exist, keys that nothing reads, and into the world. */
#include "scene/scene_build.h"
#include "scene/scene_check.h"

#include <stdio.h>
#include <string.h>

/* ---- checks -------------------------------------------------------------------------------------------------------------- */

/// The one kind that is given.
static const scene_joint_part *part_of(const scene_joint *joint, scree_joint_kind *kind)
{
    const scene_joint_part *part[SCREE_JOINT_KIND_COUNT] = {
        [SCREE_JOINT_BALL] = &joint->ball,         [SCREE_JOINT_HINGE] = &joint->hinge,
        [SCREE_JOINT_SLIDER] = &joint->slider,     [SCREE_JOINT_FIXED] = &joint->fixed,
        [SCREE_JOINT_DISTANCE] = &joint->distance, [SCREE_JOINT_CYLINDRICAL] = &joint->cylindrical,
        [SCREE_JOINT_SLOT] = &joint->slot};
    int k = 0;
    while (k < SCREE_JOINT_KIND_COUNT - 1 && !part[k]->drive.head.node) ++k;
    *kind = (scree_joint_kind)k;
    return part[k];
}

static int is_ground(const char *name)
{
    return strcmp(name, "ground") == 0;
}

/// Bodies of generators ("grain[3]") and of the container ("bin.floor") are known only when they have been made.
static int may_exist_later(const scene_root *root, const char *name)
{
    const scene_generator *g = root->generators.item;
    for (int k = 0; k < root->generators.count; ++k)
        if (g[k].name && strncmp(g[k].name, name, strlen(g[k].name)) == 0 && name[strlen(g[k].name)] == '[') return 1;
    size_t length = root->container.head.node ? strlen(root->container.name) : 0;
    return length > 0 && strncmp(root->container.name, name, length) == 0 && name[length] == '.';
}

scree_status check_body_name(scene_checker *c, const scree_doc_node *node, int ground)
{
    enum { WORDS_MAX = 64 };
    const scene_body *body = c->root->bodies.item;
    const char *words[WORDS_MAX];
    int count = 0;
    if (may_exist_later(c->root, node->text)) return SCREE_OK;
    for (int k = 0; k < c->root->bodies.count; ++k) {
        if (!body[k].name) continue;
        if (strcmp(body[k].name, node->text) == 0) return SCREE_OK;
        if (count < WORDS_MAX - 1) words[count++] = body[k].name;
    }
    if (ground) words[count++] = "ground";
    return ground && is_ground(node->text) ? SCREE_OK : scree_doc_not_among(c->doc, node, "unknown body", words, count);
}

static scree_status check_drive(scene_checker *c, const scene_drive *part)
{
    const scene_spring *spring = &part->spring;
    const scene_motor *motor = &part->motor;
    static const char *const servo[] = {"stiffness", "damping"};
    if (schema_key(&part->head, "lower") && schema_key(&part->head, "upper") && !(part->lower <= part->upper))
        return scree_doc_fail(c->doc, schema_node(&part->head, "upper"), "upper: below lower, expected a larger value");
    if (spring->head.node && !(spring->stiffness > 0.0) && !(spring->damping > 0.0))
        return scree_doc_fail(c->doc, schema_key(&part->head, "spring"),
                              "spring: neither stiffness nor damping, expected one of them");
    if (schema_key(&spring->head, "rest") && !(spring->stiffness > 0.0))
        return scree_doc_fail(c->doc, schema_key(&spring->head, "rest"),
                              "a spring without stiffness does not read 'rest', expected it left out");
    for (int k = 0; k < 2 && schema_key(&motor->head, "speed"); ++k)
        if (schema_key(&motor->head, servo[k]))
            return scree_doc_fail(c->doc, schema_key(&motor->head, servo[k]),
                                  "a motor with 'speed' does not read '%s', expected it left out", servo[k]);
    if (schema_key(&motor->head, "position") && !schema_key(&motor->head, "stiffness"))
        return scree_doc_fail(c->doc, motor->head.node,
                              "the key 'stiffness' is missing: a motor with 'position' is a spring towards it");
    return SCREE_OK;
}

scree_status check_joints(scene_checker *c)
{
    const scene_joint *joint = c->root->joints.item;
    if (c->root->joints.count > 0 && c->root->stepper.scheme == SCREE_SCHEME_DEM)
        return scree_doc_fail(c->doc, schema_key(&c->root->head, "joints"),
                              "the scheme dem does not take joints, expected anitescu_tasora or moreau_jean");
    for (int k = 0; k < c->root->joints.count; ++k) {
        scree_joint_kind kind;
        const scene_joint_part *part = part_of(&joint[k], &kind);
        scree_status status = joint[k].name ? check_name(c, &joint[k].head, joint[k].name) : SCREE_OK;
        for (int j = 0; j < k && status == SCREE_OK && joint[k].name; ++j)
            if (joint[j].name && strcmp(joint[j].name, joint[k].name) == 0)
                status = scree_doc_fail(c->doc, schema_node(&joint[k].head, "name"),
                                        "a second joint of this name, expected one (first at line %d)",
                                        joint[j].head.node->line);
        for (int side = 0; side < 2 && status == SCREE_OK; ++side)
            status = check_body_name(c, joint[k].bodies[side], 1);
        if (status == SCREE_OK && strcmp(joint[k].bodies[0]->text, joint[k].bodies[1]->text) == 0)
            status = scree_doc_fail(c->doc, joint[k].bodies[1], "bodies: the same twice, expected two");
        if (status == SCREE_OK) status = check_drive(c, &part->drive);
        if (status == SCREE_OK) status = check_drive(c, &part->turn);
        if (status != SCREE_OK) return status;
    }
    return SCREE_OK;
}

/* ---- into the world -------------------------------------------------------------------------------------------------------- */

static scree_joint_turn drive_of(const scene_drive *d)
{
    const scree_joint_def none = scree_joint_def_default();
    const scene_motor *motor = &d->motor;
    scree_joint_turn drive = none.turn;
    if (schema_key(&d->head, "lower")) drive.lower = d->lower;
    if (schema_key(&d->head, "upper")) drive.upper = d->upper;
    drive.stiffness = d->spring.stiffness, drive.damping = d->spring.damping, drive.friction = d->friction;
    if (schema_key(&d->spring.head, "rest")) drive.rest = d->spring.rest;
    if (!motor->head.node) return drive;
    int servo = schema_key(&motor->head, "position") != NULL;
    drive.motor = servo ? SCREE_MOTOR_POSITION : SCREE_MOTOR_SPEED;
    const scene_course *target = servo ? &motor->position : &motor->speed;
    drive.target = target->fixed, drive.course = target->over;
    drive.servo_stiffness = motor->stiffness, drive.servo_damping = motor->damping;
    if (schema_key(&motor->head, "limit")) drive.bound = motor->limit;
    return drive;
}

static scree_status add_joint(const scree_scene *scene, const scene_joint *joint, scree_world *world,
                              scree_error *error)
{
    scree_joint_def def = scree_joint_def_default();
    const scene_joint_part *part = part_of(joint, &def.kind);
    scree_body_id *const body[2] = {&def.body_a, &def.body_b};
    for (int side = 0; side < 2; ++side) {
        const char *name = joint->bodies[side]->text;
        *body[side] = scree_world_find_body(world, name);
        if (scree_body_index(*body[side]) >= 0 || is_ground(name)) continue;
        scree_error_set(error, NULL, 0, 0, "there is no body '%s' at the start", name);
        return scene_error_at(scene, joint->bodies[side], SCREE_ERR_INPUT, error);
    }
    def.name = joint->name, def.collide = joint->collide;
    memcpy(def.anchor, part->anchor, sizeof def.anchor);
    memcpy(def.anchor_b, part->to, sizeof def.anchor_b);
    if (def.kind != SCREE_JOINT_FIXED && def.kind != SCREE_JOINT_DISTANCE)
        memcpy(def.axis, part->axis, sizeof def.axis);
    if (schema_key(&part->drive.head, "swing")) def.swing = part->swing;
    const scree_joint_turn drive = drive_of(&part->drive);
    def.lower = drive.lower, def.upper = drive.upper, def.friction = drive.friction;
    def.stiffness = drive.stiffness, def.damping = drive.damping, def.rest = drive.rest;
    def.motor = drive.motor, def.target = drive.target, def.course = drive.course, def.bound = drive.bound;
    def.servo_stiffness = drive.servo_stiffness, def.servo_damping = drive.servo_damping;
    if (part->turn.head.node) def.turn = drive_of(&part->turn);
    scree_world_add_joint(world, &def, error);
    return scene_error_at(scene, joint->head.node, error->status, error);
}

scree_status scene_add_joints(const scree_scene *scene, scree_world *world, scree_error *error)
{
    const scene_joint *joint = scene->root.joints.item;
    scree_status status = SCREE_OK;
    for (int k = 0; k < scene->root.joints.count && status == SCREE_OK; ++k)
        status = add_joint(scene, &joint[k], world, error);
    return status;
}
