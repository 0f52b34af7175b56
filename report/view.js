// view.js: draws up to six stages into one canvas, side by side or in rows, with one camera; and says what is under the pointer.
"use strict";

/// Columns and rows for n views in a box: cells as near to 4:3 as can be.
function gridOf(n, width, height) {
    let best = {columns: 1, rows: n, off: Infinity};
    for (let columns = 1; columns <= n; ++columns) {
        const rows = Math.ceil(n / columns), off = Math.abs(Math.log((width / columns / (height / rows)) / (4 / 3)));
        if (off < best.off) best = {columns, rows, off};
    }
    return best;
}

const PICK_SIZE = 9; // pixels around the pointer that are looked at, so that thin tubes can be hit
const SHADOW_SIZE = 2048;

class Camera {
    constructor() {
        this.target = [0, 0, 0];
        this.distance = 1;
        this.azimuth = -0.9;
        this.elevation = 0.42;
        this.fov = 0.6;
    }

    get eye() {
        const c = Math.cos(this.elevation);
        return vec.add(this.target, [c * Math.cos(this.azimuth), c * Math.sin(this.azimuth), Math.sin(this.elevation)],
                       this.distance);
    }

    fit(centre, extent, aspect) {
        this.target = [...centre];
        this.distance = (0.9 * extent) / Math.sin(this.fov / 2) / Math.min(1, aspect * 1.05);
    }

    matrix(aspect) {
        const near = this.distance / 200,
              up = Math.abs(this.elevation) > 1.55 ? [-Math.cos(this.azimuth), -Math.sin(this.azimuth), 0] : [0, 0, 1];
        return mat.mul(mat.perspective(this.fov, aspect, near, near * 8000), mat.look(this.eye, this.target, up));
    }

    orbit(dx, dy) {
        this.azimuth -= dx * 0.008;
        this.elevation = Math.min(Math.max(this.elevation + dy * 0.008, -1.56), 1.56);
    }

    pan(dx, dy, height) {
        const forward = vec.unit(vec.sub(this.target, this.eye)), right = vec.unit(vec.cross(forward, [0, 0, 1])),
              up = vec.cross(right, forward);
        const scale = (2 * this.distance * Math.tan(this.fov / 2)) / height;
        this.target = vec.add(vec.add(this.target, right, -dx * scale), up, dy * scale);
    }

    zoom(factor) { this.distance *= factor; }
}

class View {
    constructor(canvas) {
        const gl = canvas.getContext("webgl2", {antialias: true, alpha: false, preserveDrawingBuffer: false});
        if (!gl) throw new Error("This browser offers no WebGL2, which the picture needs. All else works without it.");
        this.gl = gl;
        this.canvas = canvas;
        this.camera = new Camera();
        this.stages = [];
        this.program = {};
        for (const pass of ["VIEW", "PICK", "LIGHT"])
            this.program[pass] = {
                quadric: new Program(gl, QUADRIC_VERTEX, QUADRIC_FRAGMENT, pass),
                mesh: new Program(gl, MESH_VERTEX, MESH_FRAGMENT, pass),
                tube: new Program(gl, TUBE_VERTEX, TUBE_FRAGMENT, pass),
            };
        this.meshes = {
            cube: this.upload(boxMesh()),
            [KIND.box]: this.upload(boxMesh()),
            [KIND.capsule]: this.upload(capsuleMesh(8, 24)),
            [KIND.cylinder]: this.upload(cylinderMesh()),
            [KIND.cone]: this.upload(coneMesh()),
            [KIND.plane]: this.upload(planeMesh()),
            tube: this.upload(capsuleMesh(2, 8))
        };
        this.vao = gl.createVertexArray();
        this.makeShadow();
        this.makePick();
    }

    // ---- resources ---------------------------------------------------------------------------------------------------------------

    upload(mesh) {
        const gl = this.gl, out = {count: mesh.index.length, vertex: gl.createBuffer(), index: gl.createBuffer()};
        gl.bindVertexArray(null);
        gl.bindBuffer(gl.ARRAY_BUFFER, out.vertex);
        gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(mesh.vertex), gl.STATIC_DRAW);
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, out.index);
        gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(mesh.index), gl.STATIC_DRAW);
        return out;
    }

    makeShadow() {
        const gl = this.gl;
        this.shadow = {texture: gl.createTexture(), frame: gl.createFramebuffer()};
        gl.bindTexture(gl.TEXTURE_2D, this.shadow.texture);
        gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
        gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow.frame);
        gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadow.texture, 0);
        gl.drawBuffers([gl.NONE]);
        gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    }

    makePick() {
        const gl = this.gl, color = gl.createRenderbuffer(), depth = gl.createRenderbuffer();
        this.pickFrame = gl.createFramebuffer();
        gl.bindFramebuffer(gl.FRAMEBUFFER, this.pickFrame);
        gl.bindRenderbuffer(gl.RENDERBUFFER, color);
        gl.renderbufferStorage(gl.RENDERBUFFER, gl.RGBA8, PICK_SIZE, PICK_SIZE);
        gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, color);
        gl.bindRenderbuffer(gl.RENDERBUFFER, depth);
        gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, PICK_SIZE, PICK_SIZE);
        gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depth);
        gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    }

    addStage(replay) {
        const stage = new Stage(this.gl, replay);
        stage.meshes = replay.mesh_data.map((data) => this.upload(triangleMesh(data)));
        this.stages.push(stage);
        return stage;
    }

    // ---- drawing -------------------------------------------------------------------------------------------------------------------

    attributes(list, buffer, stride, start, divisor) {
        const gl = this.gl;
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        for (const [location, size, offset] of list) {
            gl.enableVertexAttribArray(location);
            gl.vertexAttribPointer(location, size, gl.FLOAT, false, 4 * stride, 4 * (start * stride + offset));
            gl.vertexAttribDivisor(location, divisor);
        }
    }

    instanced(mesh, list, buffer, stride, first, count) {
        const gl = this.gl;
        if (count === 0) return;
        this.attributes([[0, 3, 0], [1, 1, 3], [2, 3, 4]], mesh.vertex, 7, 0, 0);
        this.attributes(list, buffer, stride, first, 1);
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.index);
        gl.drawElementsInstanced(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0, count);
    }

    /// Uniforms of a pass into all its programs.
    prepare(pass, uniforms) {
        for (const program of Object.values(this.program[pass])) {
            program.use();
            for (const [name, value] of Object.entries(uniforms)) program.set(name, value);
        }
    }

    drawGroup(stage, g, pass, glass) {
        const gl = this.gl, round = g.kind === KIND.sphere || g.kind === KIND.ellipsoid;
        const program = this.program[pass][round ? "quadric" : "mesh"];
        const mesh = g.mesh >= 0 ? stage.meshes[g.mesh] : round ? this.meshes.cube : this.meshes[g.kind];
        program.use();
        program.set("u_glass", glass ? 1 : 0);
        program.set("u_kind", g.mesh >= 0 ? 0 : g.kind);
        gl.enable(gl.CULL_FACE);
        gl.cullFace(round ? gl.FRONT : gl.BACK);
        if (g.mesh >= 0 || (glass && g.kind === KIND.box)) gl.disable(gl.CULL_FACE);
        this.instanced(mesh, [[3, 3, 0], [4, 4, 3], [5, 4, 7], [6, 3, 11], [7, 1, 14]], stage.buffer, INSTANCE, g.first,
                       g.shapes.length);
    }

    drawTubes(buffer, count, pass) {
        this.gl.disableVertexAttribArray(5); // tubes have no size
        this.program[pass].tube.use();
        this.gl.enable(this.gl.CULL_FACE);
        this.gl.cullFace(this.gl.BACK);
        this.instanced(this.meshes.tube, [[3, 3, 0], [4, 4, 3], [6, 3, 7], [7, 1, 10]], buffer, TUBE, 0, count);
    }

    /// How a group is drawn: a floor hides nothing that one wants to see, so it does not become glass.
    static manner(g, options) {
        if (g.role === "grain") return options.grains;
        return g.role === "floor" && options.walls === "glass" ? "solid" : options.walls;
    }

    /// Opaque things first, then planes (they fade away; those that are walls are like glass), then what is like glass.
    drawStage(stage, pass, options) {
        const gl = this.gl, planes = [], glassy = [];
        gl.enable(gl.DEPTH_TEST);
        gl.depthMask(true);
        gl.disable(gl.BLEND);
        for (const g of stage.group) {
            const manner = View.manner(g, options);
            if (manner === "hidden") continue;
            if (g.kind === KIND.plane) planes.push(g);
            else if (manner === "glass") glassy.push(g);
            else this.drawGroup(stage, g, pass, false);
        }
        this.drawTubes(stage.tubeBuffer, stage.tubeCount, pass);
        if (pass === "LIGHT") return;
        if (pass === "VIEW") this.drawTubes(stage.wayBuffer, stage.wayCount, pass);
        if (pass === "PICK") { // a wall of glass can be reached through
            for (const g of [...planes.filter((p) => p.role === "floor"), ...glassy.filter((p) => p.role === "grain")])
                this.drawGroup(stage, g, pass, false);
            return;
        }
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
        for (const g of planes.filter((p) => p.role === "floor")) this.drawGroup(stage, g, pass, false);
        gl.depthMask(false);
        for (const g of planes.filter((p) => p.role === "wall")) this.drawGroup(stage, g, pass, true);
        for (const g of glassy) this.drawGroup(stage, g, pass, true);
        gl.depthMask(true);
        gl.disable(gl.BLEND);
        gl.clear(gl.DEPTH_BUFFER_BIT); // joints lie inside of bodies: they are drawn over them
        this.drawTubes(stage.strokeBuffer, stage.strokeCount, pass);
    }

    lampUniforms(stage, options) {
        const lamp = vec.unit([0.45, -0.35, 1.0]), r = stage.extent * 1.25, eye = vec.add(stage.centre, lamp, 3 * r);
        const matrix = mat.mul(mat.ortho(r, r, 5 * r), mat.look(eye, stage.centre, [0, 1, 0]));
        return {
            u_lamp: lamp,
            u_lamp_view: matrix,
            u_texel: 1 / SHADOW_SIZE,
            u_extent: stage.extent,
            u_shadow: 0,
            u_shadow_on: options.shadows ? 1 : 0,
            u_marks: options.marks ? 1 : 0,
            u_ground: stage.ground,
            u_grid: niceStep(stage.ground * 2, 12),
            u_back: options.palette.back,
            u_planes: stage.planeEquations()
        };
    }

    /// The part of the canvas that stage k has, in pixels from the lower left.
    viewport(k) {
        const n = this.stages.length, w = this.canvas.width, h = this.canvas.height;
        const {columns, rows} = gridOf(n, w, h), column = k % columns, row = Math.floor(k / columns);
        const left = Math.round((column * w) / columns), low = Math.round(((rows - 1 - row) * h) / rows);
        return [
            left, low, Math.round(((column + 1) * w) / columns) - left, Math.round(((rows - row) * h) / rows) - low
        ];
    }

    draw(options) {
        const gl = this.gl, back = options.palette.back;
        gl.bindVertexArray(this.vao);
        gl.disable(gl.SCISSOR_TEST); // cells that no stage fills
        gl.clearColor(back[0], back[1], back[2], 1);
        gl.clear(gl.COLOR_BUFFER_BIT);
        this.stages.forEach((stage, k) => {
            const uniforms = this.lampUniforms(stage, options), [x, y, w, h] = this.viewport(k);
            if (options.shadows) this.drawShadow(stage, uniforms, options);
            gl.bindFramebuffer(gl.FRAMEBUFFER, null);
            gl.viewport(x, y, w, h);
            gl.enable(gl.SCISSOR_TEST);
            gl.scissor(x, y, w, h);
            gl.clearColor(back[0], back[1], back[2], 1);
            gl.depthMask(true);
            gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
            gl.activeTexture(gl.TEXTURE0);
            gl.bindTexture(gl.TEXTURE_2D, this.shadow.texture);
            const picked = options.picked && options.picked.stage === k ? options.picked : null;
            this.prepare("VIEW", {
                ...uniforms,
                u_view: this.camera.matrix(w / h),
                u_eye: this.camera.eye,
                u_target: stage.centre,
                u_selected: picked && picked.sort === "body" ? picked.number : -1,
                u_selected_contact: picked && picked.sort === "contact" ? picked.number : -1
            });
            this.drawStage(stage, "VIEW", options);
            gl.disable(gl.SCISSOR_TEST);
        });
        gl.bindVertexArray(null);
    }

    drawShadow(stage, uniforms, options) {
        const gl = this.gl;
        gl.bindTexture(gl.TEXTURE_2D, null);
        gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow.frame);
        gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
        gl.depthMask(true);
        gl.clear(gl.DEPTH_BUFFER_BIT);
        this.prepare("LIGHT", {...uniforms, u_view: uniforms.u_lamp_view, u_eye: [0, 0, 0]});
        this.drawStage(stage, "LIGHT", options);
    }

    /// What is at (x, y), in pixels from the lower left: {stage, sort: "body" | "contact", number}, or null.
    pick(x, y, options) {
        const gl = this.gl;
        for (let k = 0; k < this.stages.length; ++k) {
            const [x0, y0, w, h] = this.viewport(k);
            if (x < x0 || x >= x0 + w || y < y0 || y >= y0 + h) continue;
            const matrix = mat.mul(mat.zoom(x - x0, y - y0, PICK_SIZE, w, h), this.camera.matrix(w / h)),
                  stage = this.stages[k];
            gl.bindVertexArray(this.vao);
            gl.bindFramebuffer(gl.FRAMEBUFFER, this.pickFrame);
            gl.viewport(0, 0, PICK_SIZE, PICK_SIZE);
            gl.depthMask(true);
            gl.clearColor(0, 0, 0, 0);
            gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
            this.prepare("PICK", {...this.lampUniforms(stage, options), u_view: matrix, u_eye: this.camera.eye});
            this.drawStage(stage, "PICK", options);
            const bytes = new Uint8Array(4 * PICK_SIZE * PICK_SIZE);
            gl.readPixels(0, 0, PICK_SIZE, PICK_SIZE, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
            gl.bindFramebuffer(gl.FRAMEBUFFER, null);
            gl.bindVertexArray(null);
            return nearestPick(bytes, k);
        }
        return null;
    }
}

/// Of the pixels around the pointer, the nearest that shows a contact within three pixels, else the one in the middle.
function nearestPick(bytes, stage) {
    const half = (PICK_SIZE - 1) / 2;
    let best = null, least = Infinity;
    for (let i = 0; i < PICK_SIZE * PICK_SIZE; ++i) {
        const sort = bytes[4 * i + 3], away = Math.hypot((i % PICK_SIZE) - half, Math.floor(i / PICK_SIZE) - half);
        if (sort === 0 || (sort === 1 && away > 0.5)) continue;
        const cost = sort === 2 ? away - 3.5 : 0;
        if (cost < least && cost <= 0) {
            least = cost;
            best = {
                stage,
                sort: sort === 1 ? "body" : "contact",
                number: bytes[4 * i] + 256 * bytes[4 * i + 1] + 65536 * bytes[4 * i + 2] - 1
            };
        }
    }
    return best;
}
