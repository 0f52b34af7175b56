// geometry.js: vectors, matrices, quaternions (w, x, y, z as in scree), and the triangles of unit shapes.
//
// A vertex of a shape is (p, e): its place is p times the size of the shape plus e times its half length along z, so that one mesh
// serves capsules of all proportions. Spheres and ellipsoids have no triangles: the fragment shader meets them exactly inside a cube.
"use strict";

const vec = {
    sub: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
    add: (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]],
    scale: (a, s) => [a[0] * s, a[1] * s, a[2] * s],
    dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
    cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
    length: (a) => Math.hypot(a[0], a[1], a[2]),
    unit: (a) => vec.scale(a, 1 / (vec.length(a) || 1)),
};

/// Matrices are 16 numbers by columns, as WebGL takes them.
const mat = {
    mul(a, b) {
        const out = new Float32Array(16);
        for (let i = 0; i < 4; ++i)
            for (let j = 0; j < 4; ++j)
                for (let k = 0; k < 4; ++k) out[4 * j + i] += a[4 * k + i] * b[4 * j + k];
        return out;
    },
    perspective(fov, aspect, near, far) {
        const f = 1 / Math.tan(fov / 2);
        return new Float32Array([
            f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0,
            (2 * far * near) / (near - far), 0
        ]);
    },
    ortho(half, near, far) {
        return new Float32Array(
            [1 / half, 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, -2 / (far - near), 0, 0, 0, -(far + near) / (far - near), 1]);
    },
    look(eye, target, up) {
        const z = vec.unit(vec.sub(eye, target)), x = vec.unit(vec.cross(up, z)), y = vec.cross(z, x);
        return new Float32Array([
            x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -vec.dot(x, eye), -vec.dot(y, eye),
            -vec.dot(z, eye), 1
        ]);
    },
    /// Enlarges the square of `size` pixels about (x, y), from the lower left, to the whole view: for picking.
    zoom(x, y, size, width, height) {
        const sx = width / size, sy = height / size;
        return new Float32Array(
            [sx, 0, 0, 0, 0, sy, 0, 0, 0, 0, 1, 0, sx * (1 - (2 * x) / width), sy * (1 - (2 * y) / height), 0, 1]);
    },
    point(m, p) {
        const w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15];
        return [0, 1, 2].map((i) => (m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i]) / w);
    },
};

const quat = {
    mul: (a, b) => [a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
],
    rotate(q, v) {
        const u = [q[1], q[2], q[3]], t = vec.add(vec.cross(u, v), v, q[0]);
        return vec.add(v, vec.cross(u, t), 2);
    },
};

// ---- triangles ----------------------------------------------------------------------------------------------------------------

/// Collects vertices (place 3, end 1, normal 3) and triangles.
class Mesh {
    constructor() {
        this.vertex = [];
        this.index = [];
    }

    get count() { return this.vertex.length / 7; }

    add(p, e, n) {
        this.vertex.push(p[0], p[1], p[2], e, n[0], n[1], n[2]);
        return this.count - 1;
    }

    quad(a, b, c, d) { this.index.push(a, b, c, a, c, d); }

    face(points, normal) {
        const first = this.count;
        points.forEach((p) => this.add(p, 0, normal));
        for (let k = 2; k < points.length; ++k) this.index.push(first, first + k - 1, first + k);
    }

    /// A surface of revolution about z; profile: a list of [radius, height, end, normal's radial part, normal's height part], from below.
    static turned(profile, slices) {
        const mesh = new Mesh();
        for (let k = 0; k <= slices; ++k) {
            const c = Math.cos((2 * Math.PI * k) / slices), s = Math.sin((2 * Math.PI * k) / slices);
            for (const [r, z, e, nr, nz] of profile) mesh.add([r * c, r * s, z], e, [nr * c, nr * s, nz]);
        }
        const rows = profile.length;
        for (let k = 0; k < slices; ++k)
            for (let i = 0; i + 1 < rows; ++i)
                mesh.quad(k * rows + i, (k + 1) * rows + i, (k + 1) * rows + i + 1, k * rows + i + 1);
        return mesh;
    }
}

function boxMesh() {
    const mesh = new Mesh();
    for (let axis = 0; axis < 3; ++axis)
        for (const side of [-1, 1]) {
            const at = (u, v) => {
                const p = [0, 0, 0];
                p[axis] = side, p[(axis + 1) % 3] = u * side, p[(axis + 2) % 3] = v;
                return p;
            };
            const normal = [0, 0, 0];
            normal[axis] = side;
            mesh.face([at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)], normal);
        }
    return mesh;
}

function capsuleMesh(rings, slices) {
    const profile = [];
    for (const end of [-1, 1])
        for (let k = 0; k <= rings; ++k) {
            const a = (Math.PI / 2) * (end < 0 ? k / rings - 1 : k / rings), c = Math.cos(a), s = Math.sin(a);
            profile.push([c, s, end, c, s]);
        }
    return Mesh.turned(profile, slices);
}

/// From z = -1 to 1, radius 1.
function cylinderMesh() {
    return Mesh.turned(
        [[0, -1, 0, 0, -1], [1, -1, 0, 0, -1], [1, -1, 0, 1, 0], [1, 1, 0, 1, 0], [1, 1, 0, 0, 1], [0, 1, 0, 0, 1]],
        32);
}

/// Radius 1, height 1, the origin a quarter up.
function coneMesh() {
    return Mesh.turned([[0, -0.25, 0, 0, -1], [1, -0.25, 0, 0, -1], [1, -0.25, 0, 1, 1], [0, 0.75, 0, 1, 1]], 32);
}

function planeMesh() {
    const mesh = new Mesh();
    mesh.face([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [0, 0, 1]);
    return mesh;
}

/// Any triangles, with the normal of each face: hulls and meshes are told by their edges.
function triangleMesh(data) {
    const mesh = new Mesh(), at = (i) => data.point.map((column) => column[i]);
    for (let t = 0; t < data.corner[0].length; ++t) {
        const [a, b, c] = data.corner.map((column) => at(column[t]));
        mesh.face([a, b, c], vec.unit(vec.cross(vec.sub(b, a), vec.sub(c, a))));
    }
    return mesh;
}
