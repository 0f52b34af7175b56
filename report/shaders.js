// shaders.js: the programs of the graphics processor, in three passes: `light` (depth as the lamp sees it, for shadows), `pick`
// (numbers instead of colours, to learn what is under the pointer) and `view`.
//
// Every shape is an instance: place, quaternion, size (fourth component: half length along z), colour, number.
"use strict";

const SHADER_COMMON = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
uniform mat4 u_view;        // world to clip
uniform vec3 u_eye;         // of the camera; of the lamp in the pass light
uniform vec3 u_lamp;        // direction towards the lamp
uniform mat4 u_lamp_view;
uniform sampler2DShadow u_shadow;
uniform float u_shadow_on, u_glass, u_marks, u_texel, u_extent, u_ground, u_grid;
uniform vec3 u_back, u_target;
uniform int u_kind, u_plane_count;
uniform vec4 u_planes[8];
uniform float u_selected, u_selected_contact; // numbers of what was picked; -1: none
vec3 turn(vec4 q, vec3 v) { return v + 2.0 * cross(q.yzw, cross(q.yzw, v) + q.x * v); }
vec3 turn_back(vec4 q, vec3 v) { return turn(vec4(q.x, -q.yzw), v); }
`;

/// What each vertex and each instance of a shape brings.
const SHADER_INPUTS = `
layout(location = 0) in vec3 a_corner;
layout(location = 1) in float a_end;
layout(location = 2) in vec3 a_normal;
layout(location = 3) in vec3 a_place;
layout(location = 4) in vec4 a_turn;
layout(location = 5) in vec4 a_size;
layout(location = 6) in vec3 a_color;
layout(location = 7) in float a_id;
`;

const SHADER_SHADE = `
layout(location = 0) out vec4 o_color;
float shadow(vec3 p, vec3 n) {
    if (u_shadow_on < 0.5) return 1.0;
    vec4 c = u_lamp_view * vec4(p + n * u_extent * 0.004, 1.0);
    vec3 s = c.xyz * 0.5 + 0.5;
    if (any(lessThan(s, vec3(0.002))) || any(greaterThan(s, vec3(0.998)))) return 1.0; // its border has no neighbours
    float lit = 0.0;
    for (int i = -1; i <= 1; ++i)
        for (int j = -1; j <= 1; ++j) lit += texture(u_shadow, vec3(s.xy + vec2(i, j) * u_texel * 1.2, s.z - 0.0008));
    return lit / 9.0;
}
vec3 shade(vec3 base, vec3 p, vec3 n, float gloss) {
    vec3 v = normalize(u_eye - p), h = normalize(u_lamp + v);
    float sky = 0.5 + 0.5 * n.z, sun = max(dot(n, u_lamp), 0.0), fill = max(dot(n, v), 0.0);
    float lit = sun > 0.0 ? shadow(p, n) : 0.0;
    vec3 color = base * (0.26 + 0.22 * sky + 0.16 * fill + 0.52 * sun * lit);
    return color + gloss * lit * pow(max(dot(n, h), 0.0), 48.0);
}
vec4 number(float id, float sort) {
    float n = id + 1.0;
    return vec4(mod(n, 256.0), mod(floor(n / 256.0), 256.0), floor(n / 65536.0), sort) / 255.0;
}
void put(vec3 base, vec3 p, vec3 n, float gloss, float id, float sort) {
#if defined(PICK)
    o_color = number(id, sort);
#elif defined(VIEW)
    bool picked = sort == 1.0 && id == u_selected;
    if (picked) base = mix(base, vec3(1.0, 0.85, 0.2), 0.75);
    float facing = abs(dot(n, normalize(u_eye - p)));
    if (u_glass > 0.5) o_color = vec4(mix(base, shade(base, p, n, 0.0), 0.5), (picked ? 0.35 : 0.035) + 0.3 * pow(1.0 - facing, 2.5));
    else o_color = vec4(shade(base, p, n, gloss), 1.0);
#endif
}
`;

/// Spheres and ellipsoids. The ray through a pixel is met with the unit sphere in the frame of the shape; it starts on the cube around it, so
/// that no digits are lost however far away the eye is.
const QUADRIC_VERTEX = `${SHADER_COMMON}${SHADER_INPUTS}out vec3 v_local, v_world;
flat out vec4 f_turn;
flat out vec3 f_place, f_size, f_color;
flat out float f_id;
void main() {
    v_local = a_corner;
    v_world = a_place + turn(a_turn, a_corner * a_size.xyz);
    f_turn = a_turn, f_place = a_place, f_size = a_size.xyz, f_color = a_color, f_id = a_id;
    gl_Position = u_view * vec4(v_world, 1.0);
}`;

const QUADRIC_FRAGMENT = `${SHADER_COMMON}
in vec3 v_local, v_world;
flat in vec4 f_turn;
flat in vec3 f_place, f_size, f_color;
flat in float f_id;
${SHADER_SHADE}
void main() {
#if defined(LIGHT)
    vec3 ray = -u_lamp;
#else
    vec3 ray = normalize(v_world - u_eye);
#endif
    vec3 d = turn_back(f_turn, ray) / f_size;
    float scale = 1.0 / length(d);
    d *= scale;
    float b = dot(v_local, d), c = dot(v_local, v_local) - 1.0, disc = b * b - c;
    if (disc < 0.0) discard;
    vec3 u = v_local + (-b - sqrt(disc)) * d; // on the unit sphere
    vec3 p = f_place + turn(f_turn, u * f_size), n = normalize(turn(f_turn, u / f_size));
    vec4 clip = u_view * vec4(p, 1.0);
    gl_FragDepth = clip.z / clip.w * 0.5 + 0.5;
    vec3 base = f_color;
#if defined(VIEW)
    vec3 w = clamp(u / max(fwidth(u) * 1.5, 1e-4), -1.0, 1.0); // octants, two by two: turning becomes visible
    base *= 1.0 - u_marks * (0.14 + 0.14 * w.x * w.y * w.z);
#endif
    put(base, p, n, 0.18, f_id, 1.0);
}`;

const MESH_VERTEX = `${SHADER_COMMON}${SHADER_INPUTS}out vec3 v_local, v_world, v_normal;
flat out vec3 f_color;
flat out vec4 f_size;
flat out float f_id;
void main() {
    v_local = a_corner * a_size.xyz + vec3(0.0, 0.0, a_end * a_size.w);
    v_world = a_place + turn(a_turn, v_local);
    v_normal = turn(a_turn, a_normal / a_size.xyz);
    f_color = a_color, f_size = a_size, f_id = a_id;
    gl_Position = u_view * vec4(v_world, 1.0);
}`;

/// Kind 1: a plane, with grid lines and fading away; kind 2: a box, whose edges are drawn.
const MESH_FRAGMENT = `${SHADER_COMMON}
in vec3 v_local, v_world, v_normal;
flat in vec3 f_color;
flat in vec4 f_size;
flat in float f_id;
${SHADER_SHADE}
float line(vec2 at, float spacing, float width) {
    vec2 w = fwidth(at) * width, d = abs(fract(at / spacing - 0.5) - 0.5) * spacing;
    vec2 cover = clamp(1.0 - d / max(w, vec2(1e-12)), 0.0, 1.0) * clamp(spacing / (8.0 * w), 0.0, 1.0);
    return max(cover.x, cover.y);
}
void main() {
    vec3 base = f_color, n = normalize(v_normal);
#if defined(VIEW)
    if (u_kind == 1) {
        for (int k = 0; k < u_plane_count; ++k) // behind another plane
            if (dot(u_planes[k].xyz, v_world) + u_planes[k].w < -0.002 * u_ground) discard;
        base = mix(base, base * 0.72, 0.55 * line(v_local.xy, u_grid, 1.2) + 0.35 * line(v_local.xy, u_grid * 5.0, 1.6));
        vec3 color = shade(base, v_world, n, 0.0);
        float away = length(v_world - u_target) / (u_ground * 1.9);
        if (away > 1.0) discard;
        float solid = u_glass > 0.5 ? 0.3 : 1.0;
        o_color = vec4(mix(color, u_back, smoothstep(0.35, 1.0, away)), solid * (1.0 - smoothstep(0.7, 1.0, away)));
        return;
    }
    if (u_kind == 2) {
        vec3 d = f_size.xyz - abs(v_local), w = fwidth(v_local) * 1.3;
        vec3 near = clamp(1.0 - d / max(w, vec3(1e-12)), 0.0, 1.0);
        float two = near.x + near.y + near.z - max(near.x, max(near.y, near.z)); // near two faces: an edge
        base *= 1.0 - 0.45 * clamp(two, 0.0, 1.0);
        base *= 1.0 - u_marks * 0.06;
    }
    if (!gl_FrontFacing) n = -n;
#endif
    put(base, v_world, n, 0.12, f_id, 1.0);
}`;

/// A force: a tube from one point (a_place) to another (first three of a_turn; the fourth is its radius), with round ends.
const TUBE_VERTEX = `${SHADER_COMMON}${SHADER_INPUTS}out vec3 v_world, v_normal;
flat out vec3 f_color;
flat out float f_id;
void main() {
    vec3 axis = a_turn.xyz - a_place, z = normalize(axis + vec3(0.0, 0.0, 1e-20));
    vec3 x = normalize(cross(abs(z.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0), z)), y = cross(z, x);
    v_world = a_place + axis * (0.5 + 0.5 * a_end) + (x * a_corner.x + y * a_corner.y + z * a_corner.z) * a_turn.w;
    v_normal = x * a_normal.x + y * a_normal.y + z * a_normal.z;
    f_color = a_color, f_id = a_id;
    gl_Position = u_view * vec4(v_world, 1.0);
}`;

const TUBE_FRAGMENT = `${SHADER_COMMON}
in vec3 v_world, v_normal;
flat in vec3 f_color;
flat in float f_id;
${SHADER_SHADE}
void main() {
    vec3 n = normalize(v_normal), base = f_color;
#if defined(PICK)
    o_color = number(f_id, 2.0);
#elif defined(VIEW)
    if (f_id == u_selected_contact) base = vec3(1.0, 0.85, 0.2);
    float facing = max(dot(n, normalize(u_eye - v_world)), 0.0);
    o_color = vec4(base * (0.55 + 0.5 * facing), 1.0);
#endif
}`;

class Program {
    constructor(gl, vertex, fragment, pass) {
        const make = (kind, source) => {
            const shader = gl.createShader(kind);
            gl.shaderSource(shader, source.replace("#version 300 es", `#version 300 es\n#define ${pass}`));
            gl.compileShader(shader);
            if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
            return shader;
        };
        this.gl = gl;
        this.program = gl.createProgram();
        gl.attachShader(this.program, make(gl.VERTEX_SHADER, vertex));
        gl.attachShader(this.program, make(gl.FRAGMENT_SHADER, fragment));
        gl.linkProgram(this.program);
        if (!gl.getProgramParameter(this.program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(this.program));
        this.place = new Map();
    }

    use() { this.gl.useProgram(this.program); }

    /// Sets a uniform: a number, 3 numbers, 16, or planes.
    set(name, value) {
        const gl = this.gl;
        if (!this.place.has(name)) this.place.set(name, gl.getUniformLocation(this.program, name));
        const at = this.place.get(name);
        if (name === "u_planes") {
            this.set("u_plane_count", value.length / 4);
            if (at !== null && value.length > 0) gl.uniform4fv(at, value);
            return;
        }
        if (at === null) return;
        if (value.length === 16) gl.uniformMatrix4fv(at, false, value);
        else if (value.length === 3) gl.uniform3fv(at, value);
        else if (["u_kind", "u_shadow", "u_plane_count"].includes(name)) gl.uniform1i(at, value);
        else gl.uniform1f(at, value);
    }
}
