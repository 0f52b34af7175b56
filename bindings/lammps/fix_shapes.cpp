/* fix_shapes.cpp: walls of any shape: the fixed and driven bodies of a scene.
 *
 *     fix ID group scree/wall scene FILE [planes no]
 *
 * Atom type t has the material t of the scene. `planes no`: fixed planes are left out, as they have a fix of their own (fix_wall.cpp), which
 * is faster. Shapes, motion and pressure control are as the scene has them, contacts those of `scree run` (shapes.h).
 *
 * f_ID[i][1..3] is the force on wall i, [4..6] the torque about its position, [7..9] where it is, [10..12] its velocity. */
#include "styles.h"

#include "shapes.h"

#include <lammps/comm.h>
#include <lammps/error.h>
#include <lammps/force.h>
#include <lammps/neighbor.h>

#include <cmath>

namespace scree
{

class FixShapes : public FixListsOf<lmp_shape_words>
{
  public:
    FixShapes(LAMMPS *lmp, int narg, char **arg);
    ~FixShapes() override { lmp_shapes_destroy(shapes); }
    int setmask() override
    {
        return FixConst::PRE_EXCHANGE | FixConst::POST_NEIGHBOR | FixConst::POST_FORCE | FixConst::INITIAL_INTEGRATE |
               FixConst::POST_RUN;
    }
    void init() override;
    void setup_post_neighbor() override { post_neighbor(); }
    void setup(int vflag) override { post_force(vflag); }
    void pre_exchange() override
    {
        if (valid) store(false);
    }
    void post_neighbor() override;
    void post_force(int) override;
    void initial_integrate(int) override { lmp_shapes_move(shapes); }
    void post_run() override
    {
        if (valid) store(kept);
        valid = false;
    }
    void write_restart(FILE *file) override;
    void restart(char *buffer) override;
    double compute_array(int i, int j) override;

  private:
    lmp_shapes *shapes = nullptr;
    PairScree *pair = nullptr;
    bool valid = false, kept = false, restarted = false;
    double step = 0.0;
    std::vector<double> radius;
    std::vector<int> material;
    lmp_spheres balls();
    void store(bool before);
    void felt_find();
    [[noreturn]] void refuse(const std::string &text) { error->all(FLERR, "fix scree/wall: " + text); }
    [[noreturn]] void failed(const scree_error &why)
    {
        error->one(FLERR, std::string("fix scree/wall: ") + (why.text[0] ? why.text : "out of memory"));
    }
};

FixShapes::FixShapes(LAMMPS *l, int narg, char **arg) : FixListsOf(l, narg, arg)
{
    restart_global = 1, time_depend = 1;
    array_flag = 1, size_array_cols = 12, global_freq = 1, extarray = 0;
    bool planes = true;
    if (narg < 5) refuse("scene has no value, expected the file of a scene");
    for (int k = 5; k < narg; k += 2) {
        const std::string name = arg[k], value = k + 1 < narg ? arg[k + 1] : "";
        if (name != "planes") refuse("unknown argument '" + name + "', expected planes");
        if (value != "yes" && value != "no") refuse("planes is '" + value + "', expected yes or no");
        planes = value == "yes";
    }
    scree_error why{};
    step = update->dt;
    shapes = lmp_shapes_read(arg[4], atom->ntypes, planes, step, &why);
    if (!shapes) {
        std::string place = why.file;
        if (why.line > 0) place += ":" + std::to_string(why.line);
        refuse((place.empty() ? "" : place + ": ") + (why.text[0] ? why.text : "out of memory"));
    }
    size_array_rows = lmp_shapes_walls(shapes);
}

void FixShapes::init()
{
    pair = (PairScree *)force->pair_match("scree", 1);
    if (!pair) refuse("needs pair_style scree");
    if (update->dt != step) refuse("the timestep has changed since it was made, expected timestep before it");
    double time;
    int64_t steps;
    lmp_shapes_time(shapes, &time, &steps);
    if (steps == 0 && !restarted)
        lmp_shapes_set_time(shapes, (double)update->ntimestep * update->dt, update->ntimestep);
}

/// Own spheres as they are. Those that are not of the group have no radius.
lmp_spheres FixShapes::balls()
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

void FixShapes::post_neighbor()
{
    scree_error why{};
    const lmp_spheres b = balls();
    int fine = lmp_shapes_list(shapes, &b, neighbor->skin, &why);
    for (int i = 0; i < atom->nlocal && fine; i++)
        for (const lmp_shape_words &words : list(i)) fine = fine && lmp_shapes_remember(shapes, i, &words);
    if (!fine) failed(why);
    lmp_shapes_ready(shapes);
    valid = true, kept = false;
}

void FixShapes::post_force(int)
{
    scree_error why{};
    const lmp_spheres b = balls();
    if (lmp_shapes_used(shapes, &b)) store(false), post_neighbor();
    kept = update->setupflag || run_ends(lmp);
    if (!lmp_shapes_loads(shapes, &b, kept, &why)) failed(why);
    for (int k = 0; k < lmp_shapes_count(shapes); k++) {
        double f[3], torque[3];
        const int i = lmp_shapes_load(shapes, k, f, torque);
        for (int c = 0; c < 3; c++) atom->f[i][c] += f[c], atom->torque[i][c] += torque[c];
    }
    pair->wall_peak = std::max(pair->wall_peak, lmp_shapes_peak(shapes));
    felt_find();
}

/// Coarse and fine parts add up exactly, each by itself, on any number of ranks.
void FixShapes::felt_find()
{
    const size_t walls = (size_t)size_array_rows;
    std::vector<double> mine(12 * walls), all(mine.size());
    for (size_t k = 0; k < walls; k++) lmp_shapes_parts(shapes, (int)k, pair->scale, &mine[12 * k]);
    MPI_Allreduce(mine.data(), all.data(), (int)mine.size(), MPI_DOUBLE, MPI_SUM, world);
    for (size_t k = 0; k < walls; k++) lmp_shapes_felt_set(shapes, (int)k, &all[12 * k]);
}

double FixShapes::compute_array(int i, int j)
{
    if (j < 6) return lmp_shapes_felt(shapes, i)[j];
    return j < 9 ? lmp_shapes_state(shapes, i)->x[j - 6] : lmp_shapes_velocity(shapes, i)[j - 9];
}

/* ---- histories ------------------------------------------------------------------------------------------------------------ */

void FixShapes::store(bool before)
{
    lmp_shape_words words;
    for (int i = 0; i < atom->nlocal; i++) list(i).clear();
    for (int k = 0; k < lmp_shapes_histories(shapes, before); k++) {
        const int i = lmp_shapes_history(shapes, k, before, &words);
        if (i >= 0) list(i).push_back(words);
    }
    longest();
}

void FixShapes::write_restart(FILE *file)
{
    if (valid) store(kept);
    if (comm->me != 0) return;
    double time;
    int64_t steps;
    lmp_shapes_time(shapes, &time, &steps);
    std::vector<double> state = {time, (double)steps};
    for (int k = 0; k < size_array_rows; k++) {
        const double *s = (const double *)lmp_shapes_state(shapes, k);
        state.insert(state.end(), s, s + sizeof(lmp_shape_state) / sizeof *s);
    }
    const int size = (int)(state.size() * sizeof(double));
    fwrite(&size, sizeof size, 1, file);
    fwrite(state.data(), sizeof(double), state.size(), file);
}

void FixShapes::restart(char *buffer)
{
    double first[2];
    memcpy(first, buffer, sizeof first);
    lmp_shapes_set_time(shapes, first[0], (int64_t)first[1]), restarted = true;
    for (int k = 0; k < size_array_rows; k++)
        memcpy(lmp_shapes_state(shapes, k), buffer + sizeof first + (size_t)k * sizeof(lmp_shape_state),
               sizeof(lmp_shape_state));
}

Fix *make_shapes(LAMMPS *lmp, int narg, char **arg)
{
    return new FixShapes(lmp, narg, arg);
}

} // namespace scree
