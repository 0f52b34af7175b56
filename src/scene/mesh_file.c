/* mesh_file.c: triangles from STL and OBJ files (mesh_file.h).
 *
 * Binary STL: 80 bytes of anything, the number of triangles (uint32), then 50 bytes each: normal and three corners as float32, two bytes
 * of anything; little-endian. The size of the file must be what the number says: so a cut file is seen, and so is an ASCII file, which
 * has another size. ASCII STL: "solid", then facets of three vertices. OBJ: "v x y z" and "f a b c ..." with a/b/c, polygons as fans,
 * negative numbers from the end; other lines are passed over. Normals in files are not read: the order of the corners says what is
 * outside. */
#include "scene/mesh_file.h"

#include "base/memory.h"
#include "scene/words.h"
#include "scene/yaml_doc.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { STL_HEAD = 84, STL_TRIANGLE = 50, TRIANGLES_MAX = 20000000 };

typedef struct growing {
    scree_allocator allocator;
    mesh_file *mesh;
    int point_room, triangle_room;
} growing;

void mesh_file_free(mesh_file *mesh, const scree_allocator *allocator)
{
    MEMORY_FREE_ALL(allocator, mesh->point, mesh->triangle);
    *mesh = (mesh_file){0};
}

/// Room for one more element of three; NULL: no memory.
static void *one_more(const scree_allocator *a, void *array, int count, int *room, size_t size)
{
    if (count < *room) return array;
    int more = *room ? 2 * *room : 1024;
    void *grown = memory_raw_array(a, (size_t)more, 3 * size);
    if (!grown) return NULL;
    if (count) memcpy(grown, array, (size_t)count * 3 * size);
    memory_free(a, array);
    *room = more;
    return grown;
}

static int add_point(growing *g, const double p[3])
{
    void *room = one_more(&g->allocator, g->mesh->point, g->mesh->point_count, &g->point_room, sizeof *p);
    if (!room) return 0;
    g->mesh->point = room;
    memcpy(g->mesh->point + 3 * (size_t)g->mesh->point_count++, p, 3 * sizeof *p);
    return 1;
}

static int add_triangle(growing *g, int a, int b, int c)
{
    void *room = one_more(&g->allocator, g->mesh->triangle, g->mesh->triangle_count, &g->triangle_room, sizeof(int));
    if (!room) return 0;
    g->mesh->triangle = room;
    int *t = g->mesh->triangle + 3 * (size_t)g->mesh->triangle_count++;
    t[0] = a, t[1] = b, t[2] = c;
    return 1;
}

/* ---- STL ---------------------------------------------------------------------------------------------------------------- */

static uint32_t read_u32(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double read_f32(const char *bytes)
{
    uint32_t bits = read_u32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static scree_status parse_binary(const char *bytes, size_t size, const char *name, growing *g, scree_error *error)
{
    uint32_t count = size >= STL_HEAD ? read_u32(bytes + STL_HEAD - 4) : 0;
    uint64_t expected = STL_HEAD + (uint64_t)count * STL_TRIANGLE;
    if (size < STL_HEAD || count == 0 || count > TRIANGLES_MAX) {
        scree_error_set(error, name, 0, 0,
                        size < STL_HEAD ? "a binary STL file of %llu bytes, expected at least %d"
                                        : "a binary STL file of %llu triangles, expected 1 to %d",
                        size < STL_HEAD ? (unsigned long long)size : (unsigned long long)count,
                        size < STL_HEAD ? STL_HEAD : TRIANGLES_MAX);
        return SCREE_ERR_INPUT;
    }
    if (expected != size) {
        scree_error_set(error, name, 0, 0,
                        "the file has %llu bytes, but a binary STL file of %u triangles has %llu: it is %s",
                        (unsigned long long)size, count, (unsigned long long)expected,
                        size < expected ? "cut off" : "longer than its count of triangles");
        return SCREE_ERR_INPUT;
    }
    for (uint32_t t = 0; t < count; ++t) {
        const char *at = bytes + STL_HEAD + (size_t)t * STL_TRIANGLE + 12;
        for (int k = 0; k < 3; ++k) {
            double p[3];
            for (int i = 0; i < 3; ++i) {
                p[i] = read_f32(at + 12 * k + 4 * i);
                if (isfinite(p[i])) continue;
                scree_error_set(error, name, 0, 0, "triangle %u: %c of corner %d is %g, expected a finite number", t,
                                "xyz"[i], k, p[i]);
                return SCREE_ERR_INPUT;
            }
            if (!add_point(g, p)) return scree_doc_no_memory(name, error);
        }
        if (!add_triangle(g, 3 * (int)t, 3 * (int)t + 1, 3 * (int)t + 2)) return scree_doc_no_memory(name, error);
    }
    return SCREE_OK;
}

/// The words that an ASCII STL file has at this place; "" stands for three numbers.
static const char *const STL_FACET[] = {"facet",  "normal", "",       "outer", "loop",    "vertex",  "",
                                        "vertex", "",       "vertex", "",      "endloop", "endfacet"};

static scree_status stl_expect(word_reader *r, const char *expected, double p[3])
{
    static const char *const axis[] = {"x", "y", "z"};
    const char *word;
    for (int i = 0; i < 3 && !*expected; ++i) {
        scree_status status = words_number(r, axis[i], &p[i]);
        if (status != SCREE_OK || i == 2) return status;
    }
    size_t n = words_next(r, &word);
    if (n == 0) {
        words_next_line(r);
        if (!words_skip_empty(r))
            return words_refuse(r, r->at, "the file ends before", expected, strlen(expected),
                                "expected the whole facet");
        n = words_next(r, &word);
    }
    if (words_is(word, n, expected)) return SCREE_OK;
    char then[64];
    snprintf(then, sizeof then, "expected '%s'", expected);
    return words_refuse(r, word, "found", word, n, then);
}

static scree_status too_many(const word_reader *r, const char *what)
{
    scree_error_set(r->error, r->name, r->line, 1, "more than 20 million %s, expected a coarser mesh", what);
    return SCREE_ERR_INPUT;
}

static scree_status parse_ascii_stl(word_reader *r, growing *g)
{
    for (words_next_line(r); words_skip_empty(r); words_next_line(r)) { /* after "solid NAME" */
        const char *word, *start = r->at;
        size_t n = words_next(r, &word);
        if (words_is(word, n, "endsolid") || words_is(word, n, "solid")) continue;
        r->at = start;
        if (g->mesh->triangle_count == TRIANGLES_MAX) return too_many(r, "triangles");
        double p[3] = {0.0, 0.0, 0.0};
        for (size_t k = 0; k < sizeof STL_FACET / sizeof *STL_FACET; ++k) {
            scree_status status = stl_expect(r, STL_FACET[k], p);
            if (status != SCREE_OK) return status;
            if (!*STL_FACET[k] && k > 2 && !add_point(g, p)) return scree_doc_no_memory(r->name, r->error);
        }
        int first = g->mesh->point_count - 3;
        if (!add_triangle(g, first, first + 1, first + 2)) return scree_doc_no_memory(r->name, r->error);
    }
    if (g->mesh->triangle_count > 0) return SCREE_OK;
    scree_error_set(r->error, r->name, 0, 0, "no facet in the STL file, expected at least one");
    return SCREE_ERR_INPUT;
}

/* ---- OBJ ---------------------------------------------------------------------------------------------------------------- */

/// A corner of a face: a, a/b, a//c or a/b/c, of which a counts.
static scree_status obj_corner(const word_reader *r, const char *word, size_t n, int points, int *corner)
{
    char number[24], then[80];
    size_t digits = 0;
    double value = 0.0;
    while (digits < n && word[digits] != '/') ++digits;
    snprintf(then, sizeof then, "expected a vertex from 1 to %d (or -1 to %d)", points, -points);
    if (digits >= sizeof number) return words_refuse(r, word, "the corner", word, n, then);
    memcpy(number, word, digits);
    number[digits] = '\0';
    if (digits == 0 || scree_doc_decimal(number, &value) != digits || value != floor(value) || value == 0.0 ||
        fabs(value) > points)
        return words_refuse(r, word, "the corner", word, n, then);
    *corner = value > 0.0 ? (int)value - 1 : points + (int)value;
    return SCREE_OK;
}

static scree_status obj_face(word_reader *r, growing *g)
{
    const char *word;
    int corner[3] = {0, 0, 0}, count = 0;
    for (size_t n = words_next(r, &word); n > 0; n = words_next(r, &word), ++count) {
        int at = count < 2 ? count : 2;
        if (count > 2) corner[1] = corner[2];
        scree_status status = obj_corner(r, word, n, g->mesh->point_count, &corner[at]);
        if (status != SCREE_OK) return status;
        if (count < 2) continue;
        if (g->mesh->triangle_count == TRIANGLES_MAX) return too_many(r, "triangles");
        if (!add_triangle(g, corner[0], corner[1], corner[2])) return scree_doc_no_memory(r->name, r->error);
    }
    if (count >= 3) return SCREE_OK;
    return words_refuse(r, r->at, "a face ends after too few corners:", "f", 1, "expected at least 3");
}

static scree_status parse_obj(word_reader *r, growing *g)
{
    static const char *const axis[] = {"x", "y", "z"};
    for (; words_skip_empty(r); words_next_line(r)) {
        const char *word;
        size_t n = words_next(r, &word);
        scree_status status = SCREE_OK;
        if (n == 1 && *word == 'v') {
            double p[3];
            for (int i = 0; i < 3 && status == SCREE_OK; ++i) status = words_number(r, axis[i], &p[i]);
            if (status == SCREE_OK && g->mesh->point_count == TRIANGLES_MAX) return too_many(r, "points");
            if (status == SCREE_OK && !add_point(g, p)) return scree_doc_no_memory(r->name, r->error);
        } else if (n == 1 && *word == 'f') {
            status = obj_face(r, g);
        } else if (!words_is(word, n, "vn") && !words_is(word, n, "vt") && !words_is(word, n, "g") &&
                   !words_is(word, n, "o") && !words_is(word, n, "s") && !words_is(word, n, "usemtl") &&
                   !words_is(word, n, "mtllib") && !words_is(word, n, "l") && !words_is(word, n, "p")) {
            status = words_refuse(r, word, "unknown line", word, n,
                                  "expected v, f and the like of an OBJ file, or an STL file");
        }
        if (status != SCREE_OK) return status;
    }
    if (g->mesh->point_count > 0) return SCREE_OK;
    scree_error_set(r->error, r->name, 0, 0, "the file has no points, expected an STL or OBJ file");
    return SCREE_ERR_INPUT;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------- */

/// 1 if the bytes are text: no control characters near the start.
static int is_text(const char *bytes, size_t size)
{
    for (size_t k = 0; k < size && k < 512; ++k)
        if ((unsigned char)bytes[k] < 32 && bytes[k] != '\n' && bytes[k] != '\r' && bytes[k] != '\t') return 0;
    return 1;
}

scree_status mesh_file_parse(const char *bytes, size_t size, const char *name, const scree_allocator *allocator,
                             mesh_file *mesh, scree_error *error)
{
    growing g = {.allocator = memory_allocator(allocator), .mesh = mesh};
    word_reader r = {bytes, bytes, name, 1, error};
    *mesh = (mesh_file){0};
    uint64_t exact = size >= STL_HEAD ? STL_HEAD + (uint64_t)read_u32(bytes + STL_HEAD - 4) * STL_TRIANGLE : 0;
    scree_status status;
    if (exact == size || !is_text(bytes, size)) status = parse_binary(bytes, size, name, &g, error);
    else if (words_skip_empty(&r) && strncmp(r.at, "solid", 5) == 0) status = parse_ascii_stl(&r, &g);
    else status = parse_obj(&r, &g);
    if (status != SCREE_OK) mesh_file_free(mesh, &g.allocator);
    return status;
}

scree_status mesh_file_read(const char *path, const scree_allocator *allocator, mesh_file *mesh, scree_error *error)
{
    scree_allocator a = memory_allocator(allocator);
    char *text = NULL;
    size_t size = 0;
    *mesh = (mesh_file){0};
    scree_status status = words_load(path, &a, &text, &size, error);
    if (status == SCREE_OK) status = mesh_file_parse(text, size, path, &a, mesh, error);
    memory_free(&a, text);
    return status;
}
