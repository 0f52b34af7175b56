// stage.js: one run on the graphics processor: what its bodies and contact forces look like at a moment between two frames.
//
// Poses are interpolated between frames (positions linearly, rotations along the shorter way), so that a replay is smooth however far apart
// the frames are. Shapes are sorted by kind; each kind is drawn with one call.
"use strict";

const KIND = {
    sphere: 0,
    plane: 1,
    box: 2,
    ellipsoid: 3,
    capsule: 4,
    cylinder: 5,
    cone: 6,
    tube: 9,
    bowl: 10
};                     // the others are triangles of their own
const INSTANCE = 15;   // place 3, quaternion 4, size 4, colour 3, number 1: floats of an instance
const PLANES_MAX = 8;  // that cut each other
const TUBE = 11;       // from 3, to 3, radius 1, colour 3, number 1
const NO_CONTACT = -9; // number of a tube that is no force

class Stage {
    constructor(gl, replay) {
        this.gl = gl;
        this.replay = replay;
        this.measure();
        this.group = this.sortShapes();
        this.instances = new Float32Array(INSTANCE * replay.shapes);
        this.buffer = gl.createBuffer();
        this.tubes = new Float32Array(0);
        this.tubeBuffer = gl.createBuffer();
        this.tubeCount = 0;
        this.strokeBuffer = gl.createBuffer();
        this.strokeCount = 0;
        this.wayBuffer = gl.createBuffer();
        this.wayCount = 0;
        this.contacts = null;
        this.x = new Float32Array(3 * replay.bodies);
        this.q = new Float32Array(4 * replay.bodies);
        this.fillSlots();
    }

    // ---- once -----------------------------------------------------------------------------------------------------------------

    /// Groups of shapes that are drawn together: {kind, mesh, role, shapes, first}. Roles: "grain"; "floor" and "wall" are fixed or driven, and
    /// a wall reaches above what moves: it could hide it.
    sortShapes() {
        const {shape, shapes} = this.replay, groups = new Map();
        for (let s = 0; s < shapes; ++s) {
            const role = this.roleOf(s), key = `${shape.kind[s]}/${shape.mesh[s]}/${role}`;
            if (!groups.has(key)) groups.set(key, {kind: shape.kind[s], mesh: shape.mesh[s], role, shapes: []});
            groups.get(key).shapes.push(s);
        }
        let first = 0;
        for (const g of groups.values()) (g.first = first), (first += g.shapes.length);
        return [...groups.values()];
    }

    roleOf(s) {
        const {shape, frames} = this.replay, b = shape.body[s], last = frames.at(-1),
                      from = frames.find((f) => f.state[b] > 0) || last;
        if (last.state[b] < 2) return "grain";
        const turn = quat.mul(Array.from(from.q.slice(4 * b, 4 * b + 4)), shape.rotation.map((column) => column[s]));
        const up = [0, 1, 2].map((k) => quat.rotate(turn, [0, 1, 2].map((i) => Number(i === k)))[2]); // z of its axes
        if (shape.kind[s] === KIND.plane) return up[2] > 0.5 ? "floor" : "wall";
        if (shape.mesh[s] >= 0 && this.looksUp(shape.mesh[s], up)) return "floor"; // a ground of heights
        const size = this.sizeOf(s), half = shape.mesh[s] >= 0 ? this.reachOf(s)
                                                               : up.reduce((sum, z, k) => sum + Math.abs(z) * size[k],
                                                                           Math.abs(up[2]) * size[3]);
        const top = from.x[3 * b + 2] + shape.position[2][s] + half;
        return top < this.lowest ? "floor" : "wall";
    }

    /// Is more than half of the surface of a mesh above what is below it? `up`: z of its axes. A closed one has as much of both.
    looksUp(mesh, up) {
        const {point, corner} = this.replay.mesh_data[mesh], at = (i) => point.map((column) => column[i]);
        let sum = 0, all = 0;
        for (let t = 0; t < corner[0].length; ++t) {
            const [a, b, c] = corner.map((column) => at(column[t])), area = vec.cross(vec.sub(b, a), vec.sub(c, a));
            sum += vec.dot(area, up), all += vec.length(area);
        }
        return sum > 0.5 * all;
    }

    /// Where a ground of heights goes down on the whole, [x, y]; null: there is none, or it is level.
    downhill() {
        const ground = this.group.find((g) => g.mesh >= 0 && g.role === "floor"), LEVEL = 0.05;
        if (!ground) return null;
        const {point, corner} = this.replay.mesh_data[ground.mesh], at = (i) => point.map((column) => column[i]);
        let x = 0, y = 0, all = 0;
        for (let t = 0; t < corner[0].length; ++t) {
            const [a, b, c] = corner.map((column) => at(column[t])), area = vec.cross(vec.sub(b, a), vec.sub(c, a));
            x += area[0], y += area[1], all += Math.abs(area[2]);
        }
        return Math.hypot(x, y) > LEVEL * all ? [x, y] : null;
    }

    /// Half lengths of a shape, and its half length along z beyond them (capsules).
    sizeOf(s) {
        const {shape} = this.replay, [a, b, c] = shape.size.map((column) => column[s]);
        switch (shape.kind[s]) {
        case KIND.sphere: return [a, a, a, 0];
        case KIND.plane: return [1, 1, 1, 0]; // set when drawn: as wide as the scene
        case KIND.box:
        case KIND.ellipsoid: return [a, b, c, 0];
        case KIND.capsule: return [a, a, a, b];
        case KIND.cylinder:
        case KIND.cone: return [a, a, b, 0];
        case KIND.tube:
        case KIND.bowl: return [1, 1, 1, 0]; // triangles of their own size
        default: return [a, a, a, 0];        // triangles, scaled
        }
    }

    reachOf(s) {
        const {shape} = this.replay;
        if (shape.kind[s] === KIND.plane) return 0;
        if (shape.mesh[s] >= 0) {
            const p = this.replay.mesh_data[shape.mesh[s]].point;
            return this.sizeOf(s)[0] * p[0].reduce((m, _, i) => Math.max(m, Math.hypot(p[0][i], p[1][i], p[2][i])), 0);
        }
        const [a, b, c, h] = this.sizeOf(s);
        if (shape.kind[s] === KIND.cylinder) return Math.hypot(a, c);
        if (shape.kind[s] === KIND.cone) return Math.max(Math.hypot(a, c / 4), 0.75 * c);
        return shape.kind[s] === KIND.box ? Math.hypot(a, b, c) : Math.max(a, b, c) + h;
    }

    /// Where everything that moves lies, the sizes of bodies, the largest speeds. A body that flew off would make all else a dot, so the
    /// outermost do not count.
    measure() {
        const {replay} = this, reach = new Float32Array(replay.bodies);
        this.extent = 1;
        for (let s = 0; s < replay.shapes; ++s) {
            const b = replay.shape.body[s], arm = Math.hypot(...replay.shape.position.map((column) => column[s]));
            reach[b] = Math.max(reach[b], this.reachOf(s) + (replay.shape.kind[s] === KIND.plane ? 0 : arm));
        }
        this.reach = reach;
        const last = replay.frames.length - 1, every = Math.max(1, Math.floor(last / 12)), some = [];
        for (let f = last; f >= 0; f -= every) some.push(f);
        const whole = this.bounds(some), end = this.bounds([last]);
        Object.assign(this, whole);                                                        // shadows, planes and walls
        this.ground = Math.min(Math.max(this.extent, 0.6 * this.spread), 5 * this.extent); // how far floors are drawn
        this.whole = whole;                                             // all frames, for several runs
        this.home = last > 0 && this.travels(whole, end) ? whole : end; // what the camera looks at first
        this.lowest = this.lowestCentre(some);
        this.planar = replay.bodies > 2 && this.inPlane(some);
        this.radiusRange = [Infinity, 0];
        for (let b = 0; b < replay.bodies; ++b)
            if (reach[b] > 0 && replay.frames.at(-1).state[b] === 1)
                this.radiusRange = [Math.min(this.radiusRange[0], reach[b]), Math.max(this.radiusRange[1], reach[b])];
        const inner = [];
        for (let s = 0; s < replay.shapes; ++s)
            if (replay.frames[last].state[replay.shape.body[s]] === 1)
                inner.push(replay.shape.mesh[s] >= 0 ? 0.5 * this.reachOf(s) : Math.min(...this.sizeOf(s).slice(0, 3)));
        this.grain = inner.sort((a, b) => a - b)[inner.length >> 1] ??
                     0.1 * this.extent; // half width of a usual body: forces are drawn in it
        this.speedMax = Math.max(1e-12, this.percentile((frame) => frame.speed));
        this.spinMax = Math.max(1e-12, this.percentile((frame) => frame.spin));
    }

    /// The height below which few centres are.
    lowestCentre(frames) {
        const heights = [];
        for (const f of frames) {
            const {state, x} = this.replay.frames[f];
            for (let b = 0; b < state.length; ++b)
                if (state[b] === 1) heights.push(x[3 * b + 2]);
        }
        return heights.sort((a, b) => a - b)[Math.floor(0.01 * heights.length)] ?? 0;
    }

    /// Do all bodies move in a plane across y? Such scenes are looked at from the side.
    inPlane(frames) {
        let low = Infinity, high = -Infinity;
        for (const f of frames) {
            const {state, x} = this.replay.frames[f];
            for (let b = 0; b < state.length; ++b)
                if (state[b] === 1) (low = Math.min(low, x[3 * b + 1])), (high = Math.max(high, x[3 * b + 1]));
        }
        return high - low < 1e-3 * this.extent;
    }

    /// A ball that rolled away is seen with its way, a pile as it lies at the end.
    travels(whole, end) { return this.replay.bodies < 30 || end.extent < 0.05 * whole.extent; }

    /// The box of the bodies in some frames. Where there are many, those far from the middle three quarters do not count: one that
    /// fell over an edge would make all else a dot.
    bounds(frames) {
        const axis = [[], [], []], {replay, reach} = this;
        for (const still of [false, true]) { // what stands still counts where nothing moves
            for (const f of frames)
                for (let b = 0; b < replay.bodies; ++b) {
                    const state = replay.frames[f].state[b];
                    if (reach[b] === 0 || (still ? state < 1 : state !== 1)) continue;
                    for (let k = 0; k < 3; ++k) {
                        const x = replay.frames[f].x[3 * b + k];
                        axis[k].push(x - reach[b], x + reach[b]);
                    }
                }
            if (axis[0].length > 0) break;
        }
        const low = [-1, -1, -1], high = [1, 1, 1];
        let spread = 0; // of all bodies, across
        axis.forEach((values, k) => {
            if (values.length === 0) return;
            values.sort((a, b) => a - b);
            const at = (part) => values[Math.round(part * (values.length - 1))], least = at(0), most = at(1);
            const middle = (at(0.12) + at(0.88)) / 2,
                  reach = values.length < 40 ? Infinity : 0.85 * (at(0.88) - at(0.12));
            low[k] = Math.max(least, middle - reach), high[k] = Math.min(most, middle + reach);
            if (k < 2) spread = Math.max(spread, most - least);
        });
        return {
            low,
            high,
            spread,
            centre: [0, 1, 2].map((k) => (low[k] + high[k]) / 2),
            extent: Math.max(1e-9, Math.hypot(...[0, 1, 2].map((k) => high[k] - low[k])) / 2)
        };
    }

    /// A high value of moving bodies over the whole run, so that one fast grain does not darken the others.
    percentile(pick) {
        const values = [], every = Math.max(1, Math.floor(this.replay.frames.length / 24));
        for (let f = 0; f < this.replay.frames.length; f += every) {
            const frame = this.replay.frames[f];
            pick(frame).forEach((v, b) => frame.state[b] === 1 && v > 0 && values.push(v));
        }
        values.sort((a, b) => a - b);
        return values.length ? values[Math.floor(0.98 * (values.length - 1))] : 0;
    }

    // ---- each picture -----------------------------------------------------------------------------------------------------------

    /// Poses of all bodies at frame f + part.
    pose(f, part) {
        const a = this.replay.frames[f], b = this.replay.frames[Math.min(f + 1, this.replay.frames.length - 1)];
        const {x, q} = this, n = this.replay.bodies;
        this.frame = a;
        this.state = a.state;
        for (let i = 0; i < n; ++i) {
            const p = b.state[i] > 0 && a.state[i] > 0 ? part : 0;
            let same = 0, sum = 0;
            for (let k = 0; k < 4; ++k) same += a.q[4 * i + k] * b.q[4 * i + k];
            for (let k = 0; k < 4; ++k) {
                q[4 * i + k] = a.q[4 * i + k] * (1 - p) + (same < 0 ? -p : p) * b.q[4 * i + k];
                sum += q[4 * i + k] * q[4 * i + k];
            }
            for (let k = 0; k < 4; ++k) q[4 * i + k] /= Math.sqrt(sum) || 1;
            for (let k = 0; k < 3; ++k) x[3 * i + k] = a.x[3 * i + k] * (1 - p) + p * b.x[3 * i + k];
        }
    }

    bodyColors(mode, palette) {
        const n = this.replay.bodies, color = new Float32Array(3 * n), {frame, contacts} = this;
        const [small, large] = this.radiusRange, degreeMax = 12;
        for (let b = 0; b < n; ++b) {
            let c = palette.wall;
            if (this.state[b] === 1) {
                if (mode === "speed") c = SCALES.motion(Math.sqrt(frame.speed[b] / this.speedMax));
                else if (mode === "spin") c = SCALES.motion(Math.sqrt(frame.spin[b] / this.spinMax));
                else if (mode === "size")
                    c = SCALES.sea(large > small ? (this.reach[b] - small) / (large - small) : 0.5);
                else if (mode === "contacts") c = SCALES.sea(contacts ? contacts.degree[b] / degreeMax : 0);
                else if (mode === "material") c = bodyColor(3 * this.materialOf(b) + 1);
                else if (mode === "plain") c = palette.grain;
                else c = bodyColor(b);
            } else if (this.state[b] === 3) c = palette.driven;
            color.set(c, 3 * b);
        }
        return color;
    }

    materialOf(body) { return this.replay.shape.material[this.replay.shape.body.indexOf(body)]; }

    /// What of an instance never changes: sizes and numbers; and the pose of each shape in its body, in the order of drawing.
    fillSlots() {
        const {shape, shapes} = this.replay;
        this.slotBody = new Int32Array(shapes), this.slotPlane = new Uint8Array(shapes);
        this.slotPosition = new Float32Array(3 * shapes), this.slotRotation = new Float32Array(4 * shapes),
        this.slotSize = new Float32Array(4 * shapes);
        let at = 0;
        for (const g of this.group)
            for (const s of g.shapes) {
                this.slotBody[at] = shape.body[s], this.slotPlane[at] = g.kind === KIND.plane;
                this.slotPosition.set(shape.position.map((column) => column[s]), 3 * at);
                this.slotRotation.set(shape.rotation.map((column) => column[s]), 4 * at);
                this.slotSize.set(this.sizeOf(s), 4 * at);
                this.instances[INSTANCE * at++ + 14] = shape.body[s];
            }
    }

    /// Is the body in front of the cut, {axis, at} or null? Only what moves is cut away.
    isCut(b, cut) { return cut !== null && this.state[b] === 1 && this.x[3 * b + cut.axis] > cut.at; }

    /// Fills the instances, without making a value per shape; bodies that are not there, or cut away, get size 0.
    update(mode, palette, cut) {
        const {instances: out, x, q, slotPosition: p, slotRotation: r} = this, color = this.bodyColors(mode, palette);
        for (let s = 0, at = 0; s < this.slotBody.length; ++s, at += INSTANCE) {
            const b = this.slotBody[s], w = q[4 * b], i = q[4 * b + 1], j = q[4 * b + 2], k = q[4 * b + 3];
            const px = p[3 * s], py = p[3 * s + 1], pz = p[3 * s + 2]; // rotated: p + 2 u x (u x p + w p)
            const tx = j * pz - k * py + w * px, ty = k * px - i * pz + w * py, tz = i * py - j * px + w * pz;
            out[at] = x[3 * b] + px + 2 * (j * tz - k * ty);
            out[at + 1] = x[3 * b + 1] + py + 2 * (k * tx - i * tz);
            out[at + 2] = x[3 * b + 2] + pz + 2 * (i * ty - j * tx);
            const rw = r[4 * s], ri = r[4 * s + 1], rj = r[4 * s + 2], rk = r[4 * s + 3];
            out[at + 3] = w * rw - i * ri - j * rj - k * rk;
            out[at + 4] = w * ri + i * rw + j * rk - k * rj;
            out[at + 5] = w * rj - i * rk + j * rw + k * ri;
            out[at + 6] = w * rk + i * rj - j * ri + k * rw;
            const there = this.state[b] > 0 && !this.isCut(b, cut);
            for (let c = 0; c < 4; ++c) out[at + 7 + c] = there ? this.slotSize[4 * s + c] : 0;
            if (this.slotPlane[s]) {
                out.set(this.underScene(out.slice(at, at + 3), out.slice(at + 3, at + 7)), at);
                out[at + 7] = out[at + 8] = there ? 3 * this.ground : 0;
            }
            for (let c = 0; c < 3; ++c) out[at + 11 + c] = color[3 * b + c];
        }
        this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffer);
        this.gl.bufferData(this.gl.ARRAY_BUFFER, out, this.gl.DYNAMIC_DRAW);
    }

    /// The planes as numbers (normal, distance): what lies behind one is inside of it, and so are parts of other planes.
    planeEquations() {
        const out = [];
        for (let s = 0; s < this.slotBody.length; ++s) {
            if (!this.slotPlane[s] || this.state[this.slotBody[s]] === 0) continue;
            const at = INSTANCE * s, i = this.instances,
                  normal = quat.rotate(Array.from(i.slice(at + 3, at + 7)), [0, 0, 1]);
            out.push(...normal, -vec.dot(normal, i.slice(at, at + 3)));
        }
        return out.slice(0, 4 * PLANES_MAX);
    }

    /// A plane has no middle: its square is drawn below the middle of the scene, on lines of its grid.
    underScene(place, turn) {
        const normal = quat.rotate(turn, [0, 0, 1]), arm = vec.sub(this.centre, place);
        const grid = niceStep(this.ground * 2, 12), out = vec.add(this.centre, normal, -vec.dot(arm, normal));
        for (const axis of [[1, 0, 0], [0, 1, 0]]) {
            const direction = quat.rotate(turn, axis), along = vec.dot(vec.sub(out, place), direction);
            out.splice(0, 3, ...vec.add(out, direction, Math.round(along / grid) * grid - along));
        }
        return out;
    }

    /// Point of contact k, carried along by the body it is anchored to.
    contactPoint(k) {
        const b = this.contacts.anchor[k], o = this.contacts.offset;
        return [0, 1, 2].map((i) => this.x[3 * b + i] + o[3 * k + i]);
    }

    /// A point of a body (-1: of the ground) in the world.
    pointOf(body, place) {
        if (body < 0) return place;
        const turned = quat.rotate(this.q.subarray(4 * body, 4 * body + 4), place);
        return turned.map((v, k) => v + this.x[3 * body + k]);
    }

    /// Joints as tubes between points of their bodies.
    updateStrokes(options) {
        const {end, radius} = this.replay.stroke, count = options.joints ? this.replay.stroke_count : 0, tubes = [];
        for (let k = 0; k < count; ++k) {
            const bodies = end.map((e) => e.body[k]);
            if (bodies.some((b) => b >= 0 && (this.state[b] === 0 || this.isCut(b, options.cut)))) continue;
            for (const e of end) tubes.push(...this.pointOf(e.body[k], e.place.map((column) => column[k])));
            tubes.push(radius[k], ...options.palette.joint, NO_CONTACT);
        }
        this.strokeCount = tubes.length / TUBE;
        this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.strokeBuffer);
        this.gl.bufferData(this.gl.ARRAY_BUFFER, new Float32Array(tubes), this.gl.DYNAMIC_DRAW);
    }

    /// Ways that bodies went, as tubes: {points, color}; the last of the old ones is marked, where nothing is now.
    updateWays(ways) {
        const tubes = [];
        for (const {points, color, mark} of ways) {
            const radius = (mark ? 0.03 : 0.045) * this.grain; // one lies inside of the other

            for (let k = 1; k < points.length; ++k)
                tubes.push(...points[k - 1], ...points[k], radius, ...color, NO_CONTACT);
            if (mark && points.length > 0)
                tubes.push(...points.at(-1), ...points.at(-1), 5 * radius, ...color, NO_CONTACT);
        }
        this.wayCount = tubes.length / TUBE;
        this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.wayBuffer);
        this.gl.bufferData(this.gl.ARRAY_BUFFER, new Float32Array(tubes), this.gl.DYNAMIC_DRAW);
    }

    dispose() {
        for (const b of [this.buffer, this.tubeBuffer, this.strokeBuffer, this.wayBuffer]) this.gl.deleteBuffer(b);
        for (const mesh of this.meshes || []) this.gl.deleteBuffer(mesh.vertex), this.gl.deleteBuffer(mesh.index);
    }

    /// Forces as tubes from body to body through the contact point; at a wall they end at the point. Their cross-section grows with
    /// the normal force: twice the force, twice the area.
    updateTubes(options) {
        const {contacts} = this, count = contacts && options.forces !== "off" ? contacts.count : 0;
        if (this.tubes.length < 2 * TUBE * count) this.tubes = new Float32Array(2 * TUBE * count + 1024);
        const force = count ? contacts.value.normal_force : null, top = options.forceTop;
        let at = 0;
        const put = (from, to, radius, color, k) => {
            this.tubes.set(from, at), this.tubes.set(to, at + 3), (this.tubes[at + 6] = radius),
                this.tubes.set(color, at + 7);
            this.tubes[at + 10] = k;
            at += TUBE;
        };
        for (let k = 0; k < count; ++k) {
            if (!(force[k] > options.forceLeast * top)) continue;
            const part = force[k] / top,
                  radius = 0.42 * this.grain * options.thickness * Math.sqrt(Math.min(part, 1.5));
            const color = options.forces === "modes" ? MODE_COLORS[modeGroup(contacts.mode[k])]
                                                     : SCALES.fire(Math.sqrt(part));
            const point = this.contactPoint(k), ends = [contacts.a[k], contacts.b[k]];
            if (ends.some((b) => this.isCut(b, options.cut))) continue;
            for (const b of ends)
                if (this.state[b] === 1)
                    put([this.x[3 * b], this.x[3 * b + 1], this.x[3 * b + 2]], point, radius, color, k);
        }
        this.tubeCount = at / TUBE;
        this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.tubeBuffer);
        this.gl.bufferData(this.gl.ARRAY_BUFFER, this.tubes.subarray(0, at), this.gl.DYNAMIC_DRAW);
    }
}

/// 1, 2 or 5 times a power of ten, so that a length has about `count` of it.
function niceStep(length, count) {
    const raw = length / count, power = Math.pow(10, Math.floor(Math.log10(raw))), f = raw / power;
    return power * (f < 1.5 ? 1 : f < 3.5 ? 2 : f < 7.5 ? 5 : 10);
}
