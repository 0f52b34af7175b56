/* fix_shapes.cpp: walls of any shape: the fixed and driven bodies of a scene.
 *
 *     fix ID group scree/wall scene FILE [planes no]
 *
 * Atom type t has the material t of the scene. `planes no`: fixed planes are left out, as they have a fix of their own (fix_wall.cpp), which
 * is faster. Shapes, motion and pressure control are as the scene has them, contacts those of `scree run` (shapes.h).
 *
 * f_ID[i][1..3] is the force on wall i, [4..6] the torque about its position, [7..9] where it is, [10..12] its velocity. */
#include "styles.h"

#include "scene_walls.h"

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
    void initial_integrate(int) override { lmp_shapes_move(walls.shapes); }
    void post_run() override
    {
        if (valid) store(kept);
        valid = false;
    }
    void write_restart(FILE *file) override;
    void restart(char *buffer) override;
    double compute_array(int i, int j) override { return walls.value(i, j); }

  private:
    SceneWalls walls;
    PairScree *pair = nullptr;
    bool valid = false, kept = false;
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
    int k = 4;
    std::string why = walls.read(narg, arg, k, atom->ntypes, update);
    if (why.empty() && k < narg) why = std::string("unknown argument '") + arg[k] + "', expected planes";
    if (!why.empty()) refuse(why);
    size_array_rows = walls.count();
}

void FixShapes::init()
{
    pair = (PairScree *)force->pair_match("scree", 1);
    if (!pair) refuse("needs pair_style scree");
    const std::string why = walls.begin(update);
    if (!why.empty()) refuse(why);
}

void FixShapes::post_neighbor()
{
    scree_error why{};
    lmp_shapes *shapes = walls.shapes;
    const lmp_spheres b = walls.balls(atom, groupbit);
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
    lmp_shapes *shapes = walls.shapes;
    const lmp_spheres b = walls.balls(atom, groupbit);
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
    const size_t count = (size_t)walls.count();
    std::vector<double> mine(12 * count), all(mine.size());
    for (size_t k = 0; k < count; k++) lmp_shapes_parts(walls.shapes, (int)k, pair->scale, &mine[12 * k]);
    MPI_Allreduce(mine.data(), all.data(), (int)mine.size(), MPI_DOUBLE, MPI_SUM, world);
    for (size_t k = 0; k < count; k++) lmp_shapes_felt_set(walls.shapes, (int)k, &all[12 * k]);
}

/* ---- histories ------------------------------------------------------------------------------------------------------------ */

void FixShapes::store(bool before)
{
    lmp_shape_words words;
    lmp_shapes *shapes = walls.shapes;
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
    std::vector<double> state;
    walls.put(state);
    const int size = (int)(state.size() * sizeof(double));
    fwrite(&size, sizeof size, 1, file);
    fwrite(state.data(), sizeof(double), state.size(), file);
}

void FixShapes::restart(char *buffer)
{
    std::vector<double> state(walls.numbers());
    memcpy(state.data(), buffer, state.size() * sizeof(double));
    walls.take(state.data());
}

Fix *make_shapes(LAMMPS *lmp, int narg, char **arg)
{
    return new FixShapes(lmp, narg, arg);
}

} // namespace scree
