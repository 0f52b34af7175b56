/* fix_rigid_lists.cpp: what contacts of fix scree/rigid remember on its way from rank to rank and into restart files, the messages of a sweep,
 * and problems for the library to check (fix_rigid.h). */
#include "fix_rigid.h"

#include <lammps/atom.h>
#include <lammps/comm.h>
#include <lammps/error.h>
#include <lammps/force.h>
#include <lammps/neigh_list.h>
#include <lammps/update.h>

#include <cstring>

namespace scree
{

/* ---- reactions that are kept -------------------------------------------------------------------------------------------- */

void FixRigid::post_neighbor()
{
    const NeighList *near = force->pair->list;
    int pairs = 0;
    first.assign((size_t)atom->nlocal + (size_t)atom->nghost, 0);
    for (int a = 0; a < near->inum; a++) first[(size_t)near->ilist[a]] = pairs, pairs += near->numneigh[near->ilist[a]];
    kept.assign((size_t)pairs, entry{});
    at_plane.assign((size_t)atom->nlocal * planes.size(), entry{});
    for (int a = 0; a < near->inum; a++) {
        const int i = near->ilist[a];
        for (int b = 0; b < near->numneigh[i]; b++)
            for (const entry &e : list(i))
                if (e.key == (double)atom->tag[near->firstneigh[i][b] & NEIGHMASK])
                    kept[(size_t)first[(size_t)i] + (size_t)b] = {1.0, e.history};
    }
    at_wall.clear();
    for (int i = 0; i < atom->nlocal; i++)
        for (const entry &e : list(i)) {
            const double number = -e.key - 1.0; /* planes first, then shapes */
            if (number < 0.0) continue;
            if (number < (double)planes.size()) at_plane[(size_t)i * planes.size() + (size_t)number] = {1.0, e.history};
            else at_wall.push_back({i, {number - (double)planes.size(), e.history}});
        }
    std::sort(at_wall.begin(), at_wall.end());
    valid = true;
    if (walls.shapes) list_walls();
}

void FixRigid::store()
{
    const NeighList *near = force->pair->list;
    const int all = atom->nlocal + atom->nghost;
    room_for(all);
    for (int i = 0; i < all; i++) list(i).clear();
    for (int a = 0; a < near->inum; a++) {
        const int i = near->ilist[a];
        for (int b = 0; b < near->numneigh[i]; b++) {
            const entry &e = kept[(size_t)first[(size_t)i] + (size_t)b];
            const int j = near->firstneigh[i][b] & NEIGHMASK;
            if (!(e.key > 0.0)) continue;
            list(i).push_back({(double)atom->tag[j], e.history});
            list(j).push_back({(double)atom->tag[i], e.history});
        }
    }
    for (int i = 0; i < atom->nlocal; i++)
        for (size_t p = 0; p < planes.size(); p++) {
            const entry &e = at_plane[(size_t)i * planes.size() + p];
            if (e.key > 0.0) list(i).push_back({-(double)p - 1.0, e.history});
        }
    for (const wall_entry &w : at_wall) list(w.atom).push_back({-w.e.key - (double)planes.size() - 1.0, w.e.history});
    comm_reverse = 1;
    fix_reverse_variable(comm, this, 0);
    comm_reverse = 6;
    longest();
}

void FixRigid::pre_exchange()
{
    if (valid) gather();
}

/// Reverse communication of lists, which vary in size, and of changes use the same functions: `valid` false says lists.
void FixRigid::gather()
{
    valid = false;
    store();
}

void FixRigid::post_run()
{
    if (valid) gather();
}

void FixRigid::write_restart(FILE *file)
{
    if (valid) gather(), valid = true;
    if (comm->me != 0) return;
    std::vector<double> state;
    for (const rigid_plane &p : planes) state.insert(state.end(), p.point, p.point + 3);
    walls.put(state);
    const int size = (int)(state.size() * sizeof(double));
    fwrite(&size, sizeof size, 1, file);
    fwrite(state.data(), sizeof(double), state.size(), file);
}

void FixRigid::restart(char *buffer)
{
    std::vector<double> state(3 * planes.size() + walls.numbers());
    memcpy(state.data(), buffer, state.size() * sizeof(double));
    for (size_t p = 0; p < planes.size(); p++) memcpy(planes[p].point, &state[3 * p], sizeof planes[p].point);
    walls.take(state.data() + 3 * planes.size());
}

/* ---- messages ----------------------------------------------------------------------------------------------------------- */

int FixRigid::pack_forward_comm(int n, int *at, double *buffer, int, int *)
{
    for (int i = 0; i < n; i++) {
        if (sends == SHARES) memset(buffer + 6 * i, 0, 48), buffer[6 * i] = shares[(size_t)at[i]];
        else memcpy(buffer + 6 * i, lmp_pile_velocity(pile, at[i]), 48);
    }
    messages += 1.0, bytes += 48.0 * n;
    return 6 * n;
}

void FixRigid::unpack_forward_comm(int n, int from, double *buffer)
{
    for (int i = 0; i < n; i++) {
        if (sends == SHARES) shares[(size_t)from + (size_t)i] = buffer[6 * i];
        else memcpy(lmp_pile_velocity(pile, from + i), buffer + 6 * i, 48);
    }
}

int FixRigid::pack_reverse_comm(int n, int from, double *buffer)
{
    if (!valid) return FixLists::pack_reverse_comm(n, from, buffer);
    for (int i = 0; i < n; i++) {
        if (sends == SHARES) memset(buffer + 6 * i, 0, 48), buffer[6 * i] = shares[(size_t)from + (size_t)i];
        else memcpy(buffer + 6 * i, change[(size_t)from + (size_t)i].data(), 48);
    }
    messages += 1.0, bytes += 48.0 * n;
    return 6 * n;
}

void FixRigid::unpack_reverse_comm(int n, int *at, double *buffer)
{
    if (!valid) {
        FixLists::unpack_reverse_comm(n, at, buffer);
        return;
    }
    for (int i = 0; i < n; i++) {
        if (sends == SHARES) shares[(size_t)at[i]] += buffer[6 * i];
        else
            for (int k = 0; k < 6; k++) change[(size_t)at[i]][(size_t)k] += buffer[6 * i + k];
    }
}

double FixRigid::sum(double mine)
{
    double all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, world);
    return all;
}

double FixRigid::largest(double mine)
{
    double all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, world);
    return all;
}

/* ---- export ------------------------------------------------------------------------------------------------------------- */

/// All of it on rank 0, bodies by their tags: PREFIX.STEP.hdf5 and PREFIX.STEP.txt, for `scree solve --certify --warm`.
void FixRigid::write_problem()
{
    auto gather_bytes = [&](const void *mine, size_t size) {
        std::vector<int> sizes((size_t)comm->nprocs), at((size_t)comm->nprocs, 0);
        int own = (int)size;
        MPI_Gather(&own, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, world);
        for (size_t r = 1; r < at.size(); r++) at[r] = at[r - 1] + sizes[r - 1];
        std::vector<char> all((size_t)(at.back() + sizes.back()));
        MPI_Gatherv(mine, own, MPI_CHAR, all.data(), sizes.data(), at.data(), MPI_CHAR, 0, world);
        return all;
    };
    std::vector<lmp_touch> mine;
    std::vector<tagint> tags(atom->tag, atom->tag + atom->nlocal);
    for (const auto &g : touch)
        for (lmp_touch t : g) {
            t.a = t.a < 0 ? -1 : (int)atom->tag[t.a], t.b = (int)atom->tag[t.b];
            mine.push_back(t);
        }
    const std::vector<char> b = gather_bytes(body.data(), (size_t)atom->nlocal * sizeof(lmp_body)),
                            t = gather_bytes(tags.data(), tags.size() * sizeof(tagint)),
                            c = gather_bytes(mine.data(), mine.size() * sizeof(lmp_touch));
    if (comm->me != 0) return;
    const size_t bodies = t.size() / sizeof(tagint);
    const tagint *tag = (const tagint *)t.data();
    std::vector<int> place((size_t)atom->map_tag_max + 1, -1);
    for (size_t k = 0; k < bodies; k++) place[(size_t)tag[k]] = (int)k;
    std::vector<lmp_touch> all((const lmp_touch *)c.data(), (const lmp_touch *)(c.data() + c.size()));
    for (lmp_touch &touching : all) {
        if (touching.a >= 0) touching.a = place[(size_t)touching.a];
        touching.b = place[(size_t)touching.b];
    }
    const std::string name = export_prefix + "." + std::to_string(update->ntimestep);
    scree_error why{};
    if (lmp_pile_write((int)bodies, (const lmp_body *)b.data(), (int)all.size(), all.data(), (name + ".hdf5").c_str(),
                       (name + ".txt").c_str(), &why) != SCREE_OK)
        error->one(FLERR, "fix scree/rigid: " + name + ": " + why.text);
}

} // namespace scree
