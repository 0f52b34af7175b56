/* lammps_plugin.cpp: a LAMMPS without styles of scree that loads a plugin as the package PLUGIN does, which Debian's LAMMPS lacks:
 *     lammps_plugin PLUGIN.so [options of LAMMPS] */
#include "lammps_api.h"

#include <lammps/force.h>
#include <lammps/input.h>
#include <lammps/lammps.h>
#include <lammps/modify.h>

#include <cstdio>
#include <cstring>
#include <dlfcn.h>

using namespace LAMMPS_NS;

/* The documented struct, written down here once more: a field that moved in the plugin shows. */
struct registered {
    const char *version, *style, *name, *info, *author;
    void *creator, *handle;
};

static void add(registered *p, void *to)
{
    LAMMPS *lmp = (LAMMPS *)to;
    if (strcmp(p->style, "pair") == 0) (*lmp->force->pair_map)[p->name] = (Force::PairCreator)p->creator;
    else if (strcmp(p->style, "fix") == 0) (*lmp->modify->fix_map)[p->name] = (Modify::FixCreator)p->creator;
    printf("plugin: %s %s, %s by %s, LAMMPS %s\n", p->style, p->name, p->info, p->author, p->version);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc < 2) return 2;
    void *plugin = dlopen(argv[1], RTLD_LAZY | RTLD_GLOBAL);
    void *init = plugin ? dlsym(plugin, "lammpsplugin_init") : nullptr;
    if (!init) {
        fprintf(stderr, "%s\n", dlerror());
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 1;
    }
    LAMMPS *lmp = new LAMMPS(argc - 1, argv + 1, MPI_COMM_WORLD);
    ((void (*)(void *, void *, void *))init)(lmp, plugin, (void *)&add);
    lmp->input->file();
    delete lmp;
    MPI_Finalize();
    return 0;
}
