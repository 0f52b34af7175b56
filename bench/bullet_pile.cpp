/* bullet_pile.cpp: the same pile of spheres in scree and in Bullet (double precision), one after the other in one run, one thread.
 *
 *     bench/bullet.sh [grains] [seconds] [steps] [radius] [stones]       builds and runs this; needs libbullet-dev
 *
 * scree lets spheres (R 0.1, density 2028, mu 0.5, rho = sigma = 0.1 R, h 5 ms) fall into a box without a lid and settle. Both engines then start from these positions, at rest, and run the same time. For each:
 * milliseconds per step (least and mean), contacts, deepest penetration, mean drift of the grains, and the residual of the
 * contact law, computed by the same function of libscree from each engine's own contacts, impulses and velocities without
 * reaction: Bullet's rows are read from inside its solver before it forgets them.
 *
 * Bullet's normal row asks u_N >= -gap/h for open gaps and u_N >= 0 for closed ones (penetration is pushed out apart, by split
 * impulses), and that is the law its residual is measured by: nothing is held against it that it does not try to solve.
 *
 * With the word `stones` the grains are convex hulls of twelve random points on the sphere, all alike, without rolling friction; Bullet
 * gets their vertices with a margin of a hundredth of the radius, by which it inflates them. */
#include <BulletDynamics/ConstraintSolver/btSequentialImpulseConstraintSolver.h>
#include <btBulletDynamicsCommon.h>
#include <scree/stepper.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static const double density = 2028.0, mu = 0.5, h = 5e-3;
static double radius = 0.1, rho = 0.01;
static scree_geometry *stone = nullptr; /* NULL: spheres */

/// Next of a sequence of numbers from -1 to 1.
static double random_number(unsigned long long *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

static void make_stone()
{
    double point[36];
    unsigned long long state = 7;
    for (int k = 0; k < 12; ++k) {
        double length = 0.0, *x = point + 3 * k;
        for (int i = 0; i < 3; ++i) x[i] = random_number(&state), length += x[i] * x[i];
        for (int i = 0; i < 3; ++i) x[i] *= radius / std::sqrt(length);
    }
    scree_error e = {};
    stone = scree_geometry_hull(point, 12, nullptr, &e);
    if (!stone) std::fprintf(stderr, "%s\n", e.text), std::exit(1);
}

static double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct figures {
    double least_ms = 1e30, mean_ms = 0.0, penetration = 0.0, drift = 0.0, residual = 0.0;
    int contacts = 0, iterations = 0;
};

/// Where the grains are: of the frame in which they were made, and of centre of mass and principal axes; position, quaternion w x y z.
struct pose {
    double frame[7], centre[7];
};
typedef std::vector<pose> positions;

static double mean_drift(const positions &a, const positions &b)
{
    double sum = 0.0;
    for (size_t i = 0; i < a.size(); ++i) {
        const double *x = a[i].centre, *y = b[i].centre;
        sum += std::sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]));
    }
    return sum / (double)a.size();
}

/* ---- scree ---------------------------------------------------------------------------------------------------------- */

struct simulation {
    scree_world *world = nullptr;
    scree_stepper *stepper = nullptr;
    int first = 0; /* first grain */

    simulation(const positions &x, double half_width, double tolerance)
    {
        scree_world_options wo = scree_world_options_default();
        scree_stepper_options so = scree_stepper_options_default();
        scree_material m = scree_material_default("stone");
        m.density = density;
        m.friction.mu = mu, m.friction.rolling.value = rho, m.friction.spinning.value = rho;
        so.step = h, so.solver.tolerance = tolerance;
        world = scree_world_create(&wo, nullptr);
        stepper = scree_stepper_create(&so, nullptr);
        const scree_material_id material = scree_world_add_material(world, &m, nullptr);
        /* floor and four walls: planes look along +z of their frames */
        const double s = std::sqrt(0.5);
        const double walls[5][7] = {{0, 0, 0, 1, 0, 0, 0},
                                    {-half_width, 0, 0, s, 0, s, 0},
                                    {half_width, 0, 0, s, 0, -s, 0},
                                    {0, -half_width, 0, s, -s, 0, 0},
                                    {0, half_width, 0, s, s, 0, 0}};
        for (const double *w : walls) {
            scree_body_def d = scree_body_def_of(scree_shape_plane(material));
            d.kind = SCREE_BODY_FIXED;
            std::memcpy(d.position, w, 3 * sizeof *w);
            std::memcpy(d.rotation, w + 3, 4 * sizeof *w);
            scree_world_add_body(world, &d, nullptr);
        }
        first = scree_world_body_count(world);
        for (const pose &p : x) add(p);
    }
    ~simulation()
    {
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
    }
    void add(const pose &p)
    {
        scree_shape shape = stone ? scree_shape_hull(stone, 1.0, scree_material_at(0))
                                  : scree_shape_sphere(radius, scree_material_at(0));
        scree_body_def d = scree_body_def_of(shape);
        d.name = "grain";
        std::memcpy(d.position, p.frame, 3 * sizeof *p.frame);
        std::memcpy(d.rotation, p.frame + 3, 4 * sizeof *p.frame);
        scree_world_add_body(world, &d, nullptr);
    }
    scree_step_report step()
    {
        scree_step_report r = {};
        scree_error e = {};
        if (scree_advance(stepper, world, 1, &r, &e) != SCREE_OK) std::fprintf(stderr, "%s\n", e.text), std::exit(1);
        return r;
    }
    positions where() const
    {
        positions all;
        for (int b = first; b < scree_world_body_count(world); ++b) {
            pose p;
            scree_world_frame(world, scree_body_at(b), p.frame, p.frame + 3);
            std::memcpy(p.centre, scree_world_positions(world) + 3 * b, 3 * sizeof *p.centre);
            std::memcpy(p.centre + 3, scree_world_rotations(world) + 4 * b, 4 * sizeof *p.centre);
            all.push_back(p);
        }
        return all;
    }
};

/// Layers of grains on a loose lattice with a little disorder, let fall and settle.
static positions settle(int grains, double seconds, double *half_width)
{
    int side = std::max(4, (int)std::ceil(std::cbrt((double)grains)));
    double pitch = 2.6 * radius;
    *half_width = 0.5 * side * pitch;
    positions x;
    unsigned long long state = 1;
    for (int i = 0; i < grains; ++i) {
        int k = i / (side * side), r = i % (side * side);
        double at[3] = {(r % side + 0.5) * pitch - *half_width, (r / side + 0.5) * pitch - *half_width,
                        (k + 0.6) * pitch};
        for (double &c : at) c += 0.29 * radius * random_number(&state);
        pose p = {{at[0], at[1], at[2], 1.0, 0.0, 0.0, 0.0}, {}};
        for (int j = 0; stone && j < 4; ++j) p.frame[3 + j] = random_number(&state);
        x.push_back(p);
    }
    simulation s(x, *half_width, 1e-4);
    while (scree_world_time(s.world) < seconds) s.step();
    return s.where();
}

static figures run_scree(const positions &x, double half_width, int steps, double tolerance)
{
    simulation s(x, half_width, tolerance);
    figures f;
    for (int k = 0; k < steps; ++k) {
        double t = now();
        scree_step_report r = s.step();
        double ms = 1e3 * (now() - t);
        f.least_ms = std::min(f.least_ms, ms), f.mean_ms += ms / steps;
        f.penetration = std::max(f.penetration, r.penetration);
        f.residual = r.solve.residual, f.contacts = r.active, f.iterations = r.solve.iterations;
    }
    f.drift = mean_drift(x, s.where());
    return f;
}

/* ---- Bullet ------------------------------------------------------------------------------------------------------------ */

static btScalar given_mu(const btCollisionObject *, const btCollisionObject *)
{
    return mu;
}
static btScalar given_rho(const btCollisionObject *, const btCollisionObject *)
{
    return rho;
}

/// Bullet's solver, which says before it is done how well it has solved its contacts.
struct judged_solver : btSequentialImpulseConstraintSolver {
    bool judge = false;
    double residual = 0.0, difference = 0.0;
    int contacts = 0;
    /* gathered over the islands of a step */
    std::vector<scree_rigid_contact> contact;
    std::vector<scree_cone> cone;
    std::vector<scree_rigid_mass> mass;
    std::vector<double> v_free, v_after, w, p;

    btScalar solveGroupCacheFriendlyFinish(btCollisionObject **bodies, int count,
                                           const btContactSolverInfo &info) override
    {
        if (judge) gather(info.m_timeStep);
        return btSequentialImpulseConstraintSolver::solveGroupCacheFriendlyFinish(bodies, count, info);
    }

    void gather(double step)
    {
        int first = (int)contact.size();
        std::vector<int> column(m_tmpSolverBodyPool.size(), -1);
        for (int i = 0; i < m_tmpSolverBodyPool.size(); ++i) {
            const btSolverBody &b = m_tmpSolverBodyPool[i];
            if (!b.m_originalBody || b.m_originalBody->getInvMass() == 0) continue;
            column[i] = (int)mass.size();
            scree_rigid_mass m = {};
            btMatrix3x3 I = b.m_originalBody->getInvInertiaTensorWorld();
            for (int k = 0; k < 3; ++k) {
                m.inv_mass[k] = b.m_originalBody->getInvMass();
                for (int l = 0; l < 3; ++l) m.inv_inertia[3 * k + l] = I[k][l];
            }
            mass.push_back(m);
            btVector3 v0 = b.m_linearVelocity + b.m_externalForceImpulse,
                      w0 = b.m_angularVelocity + b.m_externalTorqueImpulse;
            btVector3 v1 = v0 + b.m_deltaLinearVelocity, w1 = w0 + b.m_deltaAngularVelocity;
            for (int k = 0; k < 3; ++k) v_free.push_back(v0[k]), v_after.push_back(v1[k]);
            for (int k = 0; k < 3; ++k) v_free.push_back(w0[k]), v_after.push_back(w1[k]);
        }
        for (int c = 0; c < m_tmpSolverContactConstraintPool.size(); ++c) {
            const btSolverConstraint &row = m_tmpSolverContactConstraintPool[c];
            const btManifoldPoint &point = *(const btManifoldPoint *)row.m_originalContactPoint;
            scree_rigid_contact r = {};
            /* Bullet's normal is on B and points to A: our B is its A */
            r.body_a = column[row.m_solverBodyIdB], r.body_b = column[row.m_solverBodyIdA];
            btVector3 n = row.m_contactNormal1.normalized(),
                      t = n.cross(std::fabs(n.x()) < 0.7 ? btVector3(1, 0, 0) : btVector3(0, 1, 0)).normalized();
            btVector3 A = m_tmpSolverBodyPool[row.m_solverBodyIdB].m_worldTransform.getOrigin();
            btVector3 B = m_tmpSolverBodyPool[row.m_solverBodyIdA].m_worldTransform.getOrigin();
            for (int k = 0; k < 3; ++k) {
                r.normal[k] = n[k], r.tangent[k] = t[k];
                r.arm_a[k] = point.getPositionWorldOnB()[k] - A[k], r.arm_b[k] = point.getPositionWorldOnA()[k] - B[k];
            }
            contact.push_back(r);
            cone.push_back(scree_cone_slide_roll_spin(mu, rho, rho));
            double load[6] = {row.m_appliedImpulse, 0, 0, 0, 0, 0};
            p.insert(p.end(), load, load + 6);
            double gap[6] = {point.getDistance() > 0 ? point.getDistance() / step : 0.0, 0, 0, 0, 0, 0};
            w.insert(w.end(), gap, gap + 6);
        }
        auto along = [&](const scree_rigid_contact &r, const btVector3 &x,
                         double *p_t) { /* t1, t2, n */
                                        btVector3 n(r.normal[0], r.normal[1], r.normal[2]),
                                            t(r.tangent[0], r.tangent[1], r.tangent[2]);
                                        p_t[0] += x.dot(t), p_t[1] += x.dot(n.cross(t));
                                        return x.dot(n);
        };
        for (int i = 0; i < m_tmpSolverContactFrictionConstraintPool.size(); ++i) {
            const btSolverConstraint &row = m_tmpSolverContactFrictionConstraintPool[i];
            int c = first + row.m_frictionIndex;
            along(contact[c], row.m_contactNormal1 * row.m_appliedImpulse, &p[6 * c + 1]);
        }
        for (int i = 0; i < m_tmpSolverContactRollingFrictionConstraintPool.size(); ++i) {
            const btSolverConstraint &row = m_tmpSolverContactRollingFrictionConstraintPool[i];
            int c = first + row.m_frictionIndex;
            double *p_c = &p[6 * c];
            p_c[5] += along(contact[c], row.m_relpos1CrossNormal * row.m_appliedImpulse, p_c + 3);
        }
    }

    void measure()
    {
        contacts = (int)contact.size();
        scree_rigid_def def = scree_rigid_def_default();
        def.law = SCREE_LAW_COULOMB, def.contact_count = (int)contact.size(), def.body_count = (int)mass.size();
        def.contact = contact.data(), def.cone = cone.data(), def.mass = mass.data(), def.v_free = v_free.data(),
        def.w = w.data();
        scree_error e = {};
        scree_problem *problem = scree_problem_from_rigid(&def, &e);
        if (!problem) {
            std::fprintf(stderr, "%s\n", e.text);
            return;
        }
        std::vector<double> v(v_free.size());
        residual = scree_problem_residual(problem, p.data(), &e);
        scree_problem_body_velocities(problem, p.data(), v.data(), &e);
        double worst = 0.0, size = 0.0; /* do the impulses that were read explain Bullet's own velocities? */
        for (size_t i = 0; i < v.size(); ++i)
            worst = std::max(worst, std::fabs(v[i] - v_after[i])),
            size = std::max(size, std::fabs(v_after[i] - v_free[i]));
        difference = worst / size;
        scree_problem_destroy(problem);
    }
};

static figures run_bullet(const positions &x, double half_width, int steps, int iterations, double *difference)
{
    gCalculateCombinedFrictionCallback = given_mu;
    gCalculateCombinedRollingFrictionCallback = given_rho;
    gCalculateCombinedSpinningFrictionCallback = given_rho;
    gContactBreakingThreshold = 0.2 * radius; /* its default, 0.02, is made for bodies of 0.1 and more */
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    judged_solver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.setGravity(btVector3(0, 0, -9.81));
    world.getSolverInfo().m_numIterations = iterations;
    world.getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    const double planes[5][4] = {
        {0, 0, 1, 0}, {1, 0, 0, -half_width}, {-1, 0, 0, -half_width}, {0, 1, 0, -half_width}, {0, -1, 0, -half_width}};
    std::vector<btCollisionShape *> shapes;
    std::vector<btRigidBody *> bodies;
    for (const double *q : planes) {
        shapes.push_back(new btStaticPlaneShape(btVector3(q[0], q[1], q[2]), q[3]));
        bodies.push_back(new btRigidBody(0.0, nullptr, shapes.back()));
    }
    double mass = density * 4.0 / 3.0 * M_PI * radius * radius * radius;
    btVector3 inertia = btVector3(1, 1, 1) * (0.4 * mass * radius * radius);
    if (stone) {
        btConvexHullShape *hull = new btConvexHullShape();
        scree_geometry_mass m;
        for (int k = 0; k < scree_geometry_vertex_count(stone); ++k) {
            double v[3];
            scree_geometry_vertex(stone, k, v);
            hull->addPoint(btVector3(v[0], v[1], v[2]), false);
        }
        hull->recalcLocalAabb();
        hull->setMargin(0.01 * radius);
        shapes.push_back(hull);
        scree_geometry_mass_properties(stone, &m);
        mass = density * m.volume, inertia = btVector3(m.moments[0], m.moments[1], m.moments[2]) * mass;
    } else shapes.push_back(new btSphereShape(radius));
    for (const pose &p : x) {
        const double *c = p.centre;
        btRigidBody *b = new btRigidBody(mass, nullptr, shapes.back(), inertia);
        b->setCenterOfMassTransform(btTransform(btQuaternion(c[4], c[5], c[6], c[3]), btVector3(c[0], c[1], c[2])));
        b->setActivationState(DISABLE_DEACTIVATION);
        bodies.push_back(b);
    }
    for (btRigidBody *b : bodies) {
        b->setFriction(mu), b->setRollingFriction(rho), b->setSpinningFriction(rho);
        world.addRigidBody(b);
    }
    figures f;
    for (int k = 0; k < steps; ++k) {
        solver.judge = false;
        double t = now();
        world.stepSimulation(h, 0);
        double ms = 1e3 * (now() - t);
        f.least_ms = std::min(f.least_ms, ms), f.mean_ms += ms / steps;
    }
    solver.judge = true; /* one more step, not timed */
    world.stepSimulation(h, 0);
    solver.measure();
    f.residual = solver.residual, f.contacts = solver.contacts, f.iterations = iterations,
    *difference = solver.difference;
    for (int i = 0; i < dispatcher.getNumManifolds(); ++i)
        for (int j = 0; j < dispatcher.getManifoldByIndexInternal(i)->getNumContacts(); ++j)
            f.penetration =
                std::max(f.penetration, -dispatcher.getManifoldByIndexInternal(i)->getContactPoint(j).getDistance());
    positions after;
    for (size_t i = 5; i < bodies.size(); ++i) {
        pose p = {};
        for (int k = 0; k < 3; ++k) p.centre[k] = bodies[i]->getCenterOfMassPosition()[k];
        after.push_back(p);
    }
    f.drift = mean_drift(x, after);
    for (btRigidBody *b : bodies) world.removeRigidBody(b), delete b;
    for (btCollisionShape *s : shapes) delete s;
    return f;
}

static void print(const char *name, const figures &f)
{
    std::printf("%-22s %9.3f %9.3f %9d %6d   %9.2e  %9.2e  %9.2e\n", name, f.least_ms, f.mean_ms, f.contacts,
                f.iterations, f.residual, f.penetration / radius, f.drift / radius);
    std::fflush(stdout);
}

int main(int argc, char **argv)
{
    int grains = argc > 1 ? std::atoi(argv[1]) : 10000;
    double settle_for = argc > 2 ? std::atof(argv[2]) : 3.0, half_width = 0.0, difference = 0.0;
    int steps = argc > 3 ? std::atoi(argv[3]) : 100;
    if (argc > 4) radius = std::atof(argv[4]), rho = 0.1 * radius;
    if (argc > 5 && std::strcmp(argv[5], "stones") == 0) rho = 0.0, make_stone();
    positions x = settle(grains, settle_for, &half_width);
    std::printf("%d %s, settled for %g s, then %d steps of %g ms in each engine, one thread\n", grains,
                stone ? "stones" : "spheres", settle_for, steps, 1e3 * h);
    std::printf("%-22s %9s %9s %9s %6s   %9s  %9s  %9s\n", "", "ms least", "ms mean", "contacts", "iter.", "residual",
                "depth/R", "drift/R");
    figures s4 = run_scree(x, half_width, steps, 1e-4);
    print("scree, 1e-4", s4);
    if (stone)
        print("scree, 1e-2",
              run_scree(x, half_width, steps, 1e-2)); /* what Bullet reaches with these, whatever it iterates */
    print("scree, 1e-6", run_scree(x, half_width, steps, 1e-6));
    for (int iterations : {10, 50, 200}) {
        char name[32];
        figures b = run_bullet(x, half_width, steps, iterations, &difference);
        std::snprintf(name, sizeof name, "Bullet, %d iterations", iterations);
        print(name, b);
        std::printf("%22s (ratio of time to scree 1e-4: %.1f; impulses explain its velocities to %.1e)\n", "",
                    b.mean_ms / s4.mean_ms, difference);
    }
    return 0;
}
