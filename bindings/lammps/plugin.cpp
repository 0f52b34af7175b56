/* plugin.cpp: scree's styles as a plugin of LAMMPS: screeplugin.so, for a LAMMPS with the package PLUGIN.
 *
 *     plugin load /path/to/screeplugin.so            or its folder in LAMMPS_PLUGIN_PATH
 *
 * The interface is that of LAMMPS' page on writing plugins: the host calls lammpsplugin_init, which registers each style. */
#include "styles.h"

#if __has_include(<lammps/lammpsplugin.h>)
#include <lammps/lammpsplugin.h>
#include <lammps/version.h>
#else
/* Debian 12 ships no header for plugins. */
#define LAMMPS_VERSION "29 Sep 2021"
extern "C" {
typedef void *(lammpsplugin_factory1)(void *);
typedef void *(lammpsplugin_factory2)(void *, int, char **);
typedef struct {
    const char *version, *style, *name, *info, *author;
    union {
        lammpsplugin_factory1 *v1;
        lammpsplugin_factory2 *v2;
    } creator;
    void *handle;
} lammpsplugin_t;
typedef void (*lammpsplugin_regfunc)(lammpsplugin_t *, void *);
void lammpsplugin_init(void *, void *, void *);
}
#endif

extern "C" __attribute__((visibility("default"))) void lammpsplugin_init(void *lmp, void *handle, void *function)
{
    const lammpsplugin_regfunc add = (lammpsplugin_regfunc)function;
    lammpsplugin_t p{};
    p.version = LAMMPS_VERSION, p.info = "contacts of scree", p.author = "scree", p.handle = handle;
    p.style = "pair", p.name = "scree", p.creator.v1 = (lammpsplugin_factory1 *)&scree::make_pair;
    add(&p, lmp);
    const struct {
        const char *name;
        LAMMPS_NS::Fix *(*make)(LAMMPS_NS::LAMMPS *, int, char **);
    } fixes[] = {{"scree/history", &scree::make_history},
                 {"scree/nve", &scree::make_nve},
                 {"scree/wall", &scree::make_wall},
                 {"scree/rigid", &scree::make_rigid}};
    p.style = "fix";
    for (const auto &fix : fixes) {
        p.name = fix.name, p.creator.v2 = (lammpsplugin_factory2 *)fix.make;
        add(&p, lmp);
    }
}
