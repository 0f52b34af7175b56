/* scene_walls.cpp: see scene_walls.h. */
#include "scene_walls.h"

#include <cstring>

namespace scree
{

static_assert(sizeof(lmp_shape_state) % sizeof(double) == 0, "the state of a wall is written as numbers");
static constexpr size_t OF_WALL = sizeof(lmp_shape_state) / sizeof(double);

std::string SceneWalls::read(int narg, char **arg, int &k, int types, const Update *update)
{
    int planes = 1;
    if (k >= narg) return "scene has no value, expected the file of a scene";
    const char *file = arg[k++];
    if (k < narg && strcmp(arg[k], "planes") == 0) {
        const std::string value = k + 1 < narg ? arg[k + 1] : "";
        if (value != "yes" && value != "no") return "planes is '" + value + "', expected yes or no";
        planes = value == "yes", k += 2;
    }
    scree_error why{};
    step = update->dt;
    shapes = lmp_shapes_read(file, types, planes, step, &why);
    if (shapes) return "";
    std::string place = why.file;
    if (why.line > 0) place += ":" + std::to_string(why.line);
    return (place.empty() ? "" : place + ": ") + (why.text[0] ? why.text : "out of memory");
}

std::string SceneWalls::begin(const Update *update)
{
    if (!shapes) return "";
    if (update->dt != step) return "the timestep has changed since it was made, expected timestep before it";
    double time;
    int64_t steps;
    lmp_shapes_time(shapes, &time, &steps);
    if (steps == 0 && !restarted)
        lmp_shapes_set_time(shapes, (double)update->ntimestep * update->dt, update->ntimestep);
    return "";
}

lmp_spheres SceneWalls::balls(const Atom *atom, int groupbit)
{
    static const double nothing[3] = {0.0, 0.0, 0.0};
    const int own = atom->nlocal;
    radius.resize((size_t)own + 1), material.resize((size_t)own + 1);
    for (int i = 0; i < own; i++) {
        radius[(size_t)i] = atom->mask[i] & groupbit ? atom->radius[i] : 0.0;
        material[(size_t)i] = atom->type[i] - 1;
    }
    return {own,
            own ? atom->x[0] : nothing,
            own ? atom->v[0] : nothing,
            own ? atom->omega[0] : nothing,
            radius.data(),
            own ? atom->rmass : nothing,
            material.data()};
}

size_t SceneWalls::numbers() const
{
    return shapes ? 2 + (size_t)count() * OF_WALL : 0;
}

void SceneWalls::put(std::vector<double> &state) const
{
    double time;
    int64_t steps;
    if (!shapes) return;
    lmp_shapes_time(shapes, &time, &steps);
    state.push_back(time), state.push_back((double)steps);
    for (int k = 0; k < count(); k++) {
        const double *s = (const double *)lmp_shapes_state(shapes, k);
        state.insert(state.end(), s, s + OF_WALL);
    }
}

void SceneWalls::take(const double *state)
{
    if (!shapes) return;
    lmp_shapes_set_time(shapes, state[0], (int64_t)state[1]), restarted = true;
    for (int k = 0; k < count(); k++)
        memcpy(lmp_shapes_state(shapes, k), state + 2 + (size_t)k * OF_WALL, sizeof(lmp_shape_state));
}

double SceneWalls::value(int i, int j) const
{
    if (j < 6) return lmp_shapes_felt(shapes, i)[j];
    return j < 9 ? lmp_shapes_state(shapes, i)->x[j - 6] : lmp_shapes_velocity(shapes, i)[j - 9];
}

} // namespace scree
