/* pair_scree.cpp: scree's soft contacts as a pair style.
 *
 *     pair_style scree fn|sds [ledger yes|no]
 *     pair_coeff I J NAME VALUE ...      the keys of a material in a scene: stiffness 1e5 slide_stiffness 5e4 friction 0.5 restitution 0.5 ..
 *
 * Atom types are materials. Types that have no pair_coeff of their own are mixed as in a scene. Forces, torques and histories are those of
 * the engine for spheres, from its kernels (contacts.h).
 *
 * `compute ID all pair scree` gives, over all ranks: 1 contacts, 2 the sum of their ages, 3 the sum of the steps in which they began; with
 * `ledger yes` the energy taken since the run began by 4 the normal dashpot, 5 .. 7 dashpots of sliding, rolling, spinning, 8 work of driven
 * bodies, 9 .. 11 sliders. */
#include "styles.h"

#include <lammps/atom.h>
#include <lammps/comm.h>
#include <lammps/error.h>
#include <lammps/force.h>
#include <lammps/memory.h>
#include <lammps/modify.h>
#include <lammps/neigh_list.h>
#include <lammps/neighbor.h>
#include <lammps/update.h>
#include <lammps/utils.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

namespace scree
{

/* ---- what the script says ----------------------------------------------------------------------------------------------- */

/* The place of the history fix in the list of fixes is taken at once: it must store histories before fixes that add atoms do so in their
 * pre_exchange, since new atoms take the places of ghosts. */
PairScree::PairScree(LAMMPS *l) : Pair(l)
{
    single_enable = 0, restartinfo = 0, finitecutflag = 1, no_virial_fdotr_compute = 1;
    nextra = 11, pvector = sums;
    modify->add_fix("SCREE_PLACE all DUMMY");
}

PairScree::~PairScree()
{
    if (allocated) memory->destroy(setflag), memory->destroy(cutsq);
    lmp_destroy(contacts);
    pvector = nullptr;
    if (modify->nfix) modify->delete_fix(history ? "SCREE_HISTORY" : "SCREE_PLACE");
}

void PairScree::refuse(const std::string &text)
{
    error->all(FLERR, text);
}

void PairScree::settings(int narg, char **arg)
{
    if (narg < 1 || (strcmp(arg[0], "fn") != 0 && strcmp(arg[0], "sds") != 0))
        refuse(std::string("pair_style scree: model is '") + (narg > 0 ? arg[0] : "") + "', expected fn or sds");
    law = strcmp(arg[0], "fn") == 0 ? BED_TRACKED : BED_SDS;
    for (int k = 1; k < narg; k += 2) {
        const std::string value = k + 1 < narg ? arg[k + 1] : "";
        if (strcmp(arg[k], "ledger") != 0)
            refuse(std::string("pair_style scree: unknown argument '") + arg[k] + "', expected ledger");
        if (value != "yes" && value != "no") refuse("pair_style scree: ledger is '" + value + "', expected yes or no");
        ledger = value == "yes";
    }
    made = false;
}

void PairScree::allocate()
{
    types = atom->ntypes, allocated = 1;
    memory->create(setflag, types + 1, types + 1, "pair:setflag");
    memory->create(cutsq, types + 1, types + 1, "pair:cutsq");
    for (int i = 1; i <= types; i++)
        for (int j = 1; j <= types; j++) setflag[i][j] = 0;
    coefficients.assign((size_t)types * (size_t)types, lmp_coeff_default());
    largest.assign((size_t)types + 1, 0.0);
}

void PairScree::coeff(int narg, char **arg)
{
    if (!allocated) allocate();
    if (narg < 2) refuse("pair_coeff of scree: expected two types, then names and values");
    int ilo, ihi, jlo, jhi;
    utils::bounds(FLERR, arg[0], 1, types, ilo, ihi, error);
    utils::bounds(FLERR, arg[1], 1, types, jlo, jhi, error);
    lmp_coeff c = lmp_coeff_default();
    for (int k = 2; k < narg; k += 2) {
        const char *nearest = nullptr;
        const std::string name = arg[k];
        if (k + 1 == narg) refuse("pair_coeff of scree: '" + name + "' has no value");
        const int set = lmp_coeff_set(&c, arg[k], arg[k + 1], &nearest);
        if (set == 0)
            refuse("pair_coeff of scree: unknown argument '" + name + "'" +
                   (nearest ? std::string("; did you mean '") + nearest + "'?" : ""));
        if (set < 0)
            refuse("pair_coeff of scree: " + name + " is '" + arg[k + 1] + "', expected " + lmp_coeff_range(arg[k]));
    }
    c.given = 1;
    int count = 0;
    for (int i = ilo; i <= ihi; i++)
        for (int j = std::max(jlo, i); j <= jhi; j++) {
            coefficients[(size_t)(i - 1) * (size_t)types + (size_t)(j - 1)] = c;
            setflag[i][j] = 1, count++;
        }
    if (count == 0) refuse("pair_coeff of scree: expected the smaller type first");
    made = false;
}

/* ---- before a run ------------------------------------------------------------------------------------------------------- */

void PairScree::make()
{
    scree_error why;
    memset(&why, 0, sizeof why);
    bed_pair *all = lmp_materials(types, coefficients.data(), law, &why);
    if (!all) refuse(std::string("pair_coeff of scree: ") + why.text);
    pairs.assign(all, all + 4 * (size_t)types * (size_t)types);
    free(all);
    lmp_destroy(contacts);
    contacts = lmp_create(law, 2 * types, pairs.data(), update->dt, 0, ledger);
    if (!contacts) error->one(FLERR, std::string("pair_style scree: out of memory"));
    made = true;
}

void PairScree::init_style()
{
    if (!atom->radius_flag || !atom->rmass_flag || !atom->omega_flag || !atom->torque_flag)
        refuse("pair_style scree needs atom_style sphere");
    if (comm->ghost_velocity == 0) refuse("pair_style scree needs comm_modify vel yes");
    if (atom->tag_enable == 0) refuse("pair_style scree needs atom IDs");
    request_list(neighbor, this, instance_me, 0);
    if (!history) {
        history = (FixHistory *)modify->replace_fix("SCREE_PLACE", "SCREE_HISTORY all scree/history", 1);
        history->pair = this;
        scale = history->restart_scale;
    }
    if (!made) make();
    std::vector<double> mine(largest.size(), 0.0);
    for (int i = 0; i < atom->nlocal; i++)
        mine[(size_t)atom->type[i]] = std::max(mine[(size_t)atom->type[i]], atom->radius[i]);
    for (int k = 0; k < modify->nfix; k++) /* spheres that fix deposit and fix pour will add */
        for (int t = 1; t <= types; t++) {
            int type = t;
            const double *r = (const double *)fix_at(modify, k, 0)->extract("radius", type);
            if (r) mine[(size_t)t] = std::max(mine[(size_t)t], *r);
        }
    MPI_Allreduce(mine.data(), largest.data(), (int)mine.size(), MPI_DOUBLE, MPI_MAX, world);
}

/// Types without a pair_coeff of their own: each of the two must have one with itself.
double PairScree::init_one(int i, int j)
{
    if (!setflag[i][i] || !setflag[j][j])
        refuse("pair_style scree: type " + std::to_string(setflag[i][i] ? j : i) + " has no pair_coeff with itself");
    return largest[(size_t)i] + largest[(size_t)j];
}

/* ---- lists and histories ------------------------------------------------------------------------------------------------ */

static const lmp_history *find(const std::vector<entry> &list, double key)
{
    for (const entry &e : list)
        if (e.key == key) return &e.history;
    return nullptr;
}

/// Lists go by types: of unequal spheres most pairs are too far apart to touch before the next list.
bool PairScree::within(int i, int j, double skin) const
{
    const double *a = atom->x[i], *b = atom->x[j], reach = atom->radius[i] + atom->radius[j] + skin;
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < reach * reach;
}

void PairScree::list_begin()
{
    const int own = atom->nlocal, all = own + atom->nghost;
    const tagint *tag = atom->tag;
    int fine = lmp_begin(contacts, own, all);
    double radii = 0.0;
    for (int i = 0; i < all && fine; i++) {
        lmp_sphere(contacts, i, atom->type[i] - 1, atom->radius[i], atom->rmass[i]);
        radii += atom->radius[i];
    }
    for (int a = 0; a < list->inum && fine; a++) {
        const int i = list->ilist[a], *near = list->firstneigh[i];
        const std::vector<entry> &kept = history->list(i);
        for (int b = 0; b < list->numneigh[i] && fine; b++) {
            const int j = near[b] & NEIGHMASK;
            if (!within(i, j, neighbor->skin)) continue;
            const lmp_history *h = kept.empty() ? nullptr : find(kept, (double)tag[j]);
            fine = tag[i] > tag[j] ? lmp_pair(contacts, i, j, h) : lmp_pair(contacts, j, i, h);
        }
    }
    if (fine) fine = lmp_end(contacts, 0.1 * (all > 0 ? radii / all : 1.0));
    if (!fine) error->one(FLERR, std::string("pair_style scree: out of memory"));
}

void PairScree::store(bool kept)
{
    const int own = atom->nlocal, all = own + atom->nghost, count = lmp_count(contacts);
    const tagint *tag = atom->tag;
    for (int i = 0; i < all; i++) history->list(i).clear();
    for (int k = 0; k < count; k++) {
        lmp_contact c;
        if (!lmp_contact_at(contacts, k, kept, &c)) continue;
        const bool newton = force->newton_pair;
        if (c.i < own || newton) history->list(c.i).push_back({(double)tag[c.j], c.history});
        if (c.j < own || newton) history->list(c.j).push_back({(double)tag[c.i], c.history});
    }
}

/* ---- forces ------------------------------------------------------------------------------------------------------------- */

/// The scale of exact sums, from the forces of the last step: a function of the state, the same on all ranks.
void PairScree::follow()
{
    double mine = std::max(peak, wall_peak), all = mine;
    if (comm->nprocs > 1) MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, world);
    scale = lmp_scale_after(contacts, scale, all);
    wall_peak = 0.0; /* of the next loads; there may be several fixes of walls */
}

void PairScree::compute(int eflag, int vflag)
{
    ev_init(eflag, vflag);
    const int own = atom->nlocal, all = own + atom->nghost, last = force->newton_pair ? all : own;
    const double now = (double)update->ntimestep;
    static const double nothing[3] = {0.0, 0.0, 0.0};
    const double *x = all ? atom->x[0] : nothing, *v = all ? atom->v[0] : nothing, *w = all ? atom->omega[0] : nothing;
    const bool keep = update->setupflag || run_ends(lmp);
    int fine = lmp_move(contacts, x, v, w);
    if (keep) fine = fine && lmp_keep(contacts);
    if (!update->setupflag) follow();
    else if (fine && !(scale > 0.0)) { /* nothing is known of the forces: a look at them */
        lmp_set_scale(contacts, 0.0);
        fine = lmp_loads(contacts, now);
        peak = lmp_peak(contacts), lmp_restore(contacts);
        follow();
    }
    history->kept = keep;
    lmp_set_scale(contacts, scale);
    if (!fine || !lmp_loads(contacts, now)) error->one(FLERR, std::string("pair_style scree: out of memory"));
    peak = lmp_peak(contacts);
    double **f = atom->f, **torque = atom->torque;
    for (int i = 0; i < last; i++) {
        const double *force_i = lmp_force(contacts, i), *torque_i = lmp_torque(contacts, i);
        for (int k = 0; k < 3; k++) f[i][k] += force_i[k], torque[i][k] += torque_i[k];
    }
    lmp_sums(contacts, now, !force->newton_pair, sums);
    lmp_lost(contacts, !force->newton_pair, sums + 3);
}

Pair *make_pair(LAMMPS *lmp)
{
    return new PairScree(lmp);
}

} // namespace scree
