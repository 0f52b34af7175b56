/* peers.h: the cases of `scree verify --peers`. Their list is in verify_peers.c. */
#ifndef SCREE_CHECKS_PEERS_H
#define SCREE_CHECKS_PEERS_H

#include "checks/papers.h"

void peer_chung_ooi(paper_run *run); /* peers_soft.c */
void peer_slip_to_roll(paper_run *run);
void peer_kharaz(paper_run *run);
void peer_mercury(paper_run *run); /* peers_mercury.c */
void peer_rolling(paper_run *run); /* peers_engines.c */
void peer_elastic_666(paper_run *run);
void peer_bouncing(paper_run *run);
void peer_kapla(paper_run *run);
void peer_squeezer(paper_run *run); /* peers_machines.c */
void peer_slider_crank(paper_run *run);
void peer_woodpecker(paper_run *run);
void peer_turntable(paper_run *run); /* peers_tops.c */
void peer_coin(paper_run *run);
void peer_euler_disk(paper_run *run);
void peer_packings(paper_run *run); /* peers_packings.c */
void peer_plate_discharge(paper_run *run);
void peer_ladder(paper_run *run); /* peers_statics.c */
void peer_arch(paper_run *run);

#endif
