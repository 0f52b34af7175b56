/* verify_peers.c: `scree verify --peers`: cases of other groups beside the figures that they published (docs/peers.md).
 *
 * The scenes are ours, written from the published inputs; they are under examples/peers and in the program. Figures of others are literals,
 * each with the place where it stands. Bounds were written before scree was run, but for the
 * exceptions that docs/peers.md names. */
#include "checks/peers.h"

static const paper cases[] = {
    {"chung-ooi", "eight impacts of Chung & Ooi, beside LAMMPS' unit tests", peer_chung_ooi},
    {"slip-to-roll", "LAMMPS: a ball slides until it rolls", peer_slip_to_roll},
    {"kharaz", "oblique impacts, measured by Kharaz, Gorham & Salman; MFiX", peer_kharaz},
    {"mercury", "MercuryDPM: five of its self tests, one ball each", peer_mercury},
    {"rolling", "SimBenchmark: 25 balls on a box that is pushed; RaiSim, Bullet, MuJoCo, ODE, DART", peer_rolling},
    {"elastic-666", "SimBenchmark: 216 balls that bounce without loss", peer_elastic_666},
    {"bouncing", "SimBenchmark: 49 balls that bounce without loss", peer_bouncing},
    {"kapla", "SimBenchmark: a building of 102 blocks that must stand", peer_kapla},
    {"squeezer", "Andrews' squeezer, seven bars (IFToMM, Test Set for IVP Solvers)", peer_squeezer},
    {"slider-crank", "a slider-crank with clearance: Flores, Leine & Glocker; Siconos", peer_slider_crank},
    {"woodpecker", "the woodpecker toy: Glocker; Siconos", peer_woodpecker},
    {"turntable", "a ball on a turntable: 2/7", peer_turntable},
    {"coin", "a coin that rolls in a circle", peer_coin},
    {"euler-disk", "Euler's disk: Moffatt", peer_euler_disk},
    {"ladder", "a ladder at a wall, at its limit", peer_ladder},
    {"packings", "isotropic packings: Agnolin & Roux; with friction in the long form", peer_packings},
    {"plate-discharge", "grains that leave a plate, long form only: Zhou and others; Lethe", peer_plate_discharge},
    {"arch", "the thinnest arch that stands: Milankovitch", peer_arch},
    {0},
};

const suite peers_suite = {"peers", "case", cases, peers_files, "examples/peers", 0};
