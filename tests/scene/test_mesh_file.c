/* test_mesh_file.c: STL, OBJ and ESRI grids: what is read, and what is said about those that are damaged. */
#include "base/memory.h"
#include "failing_allocator.h"
#include "scene/grid_file.h"
#include "scene/mesh_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/// A binary STL file of two triangles. Returns its size.
static size_t binary_stl(char *bytes)
{
    static const float corner[2][9] = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {1, 0, 0, 1, 1, 0.5f, 0, 1, 0}};
    memset(bytes, 0, 84 + 2 * 50);
    snprintf(bytes, 80, "solid of a program that does not know better");
    bytes[80] = 2;
    for (int t = 0; t < 2; ++t) memcpy(bytes + 84 + 50 * t + 12, corner[t], sizeof corner[t]);
    return 84 + 2 * 50;
}

static const char ASCII[] =
    "solid two\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1 0\n  endloop\n"
    " endfacet\n facet normal 0 0 1\nouter loop\nvertex 1.0e0 0 0\nvertex 1 1 .5\nvertex 0 +1 0\nendloop\nendfacet\n"
    "endsolid two\n";
static const char OBJ[] =
    "# two\nmtllib x.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0.5\nvn 0 0 1\nf 1/1/1 2/2/1 3//1\nf -3 4 3\n";

static void all_formats_give_the_same_triangles(void **state)
{
    (void)state;
    char binary[256];
    size_t size = binary_stl(binary);
    binary[size] = '\0';
    const struct {
        const char *bytes;
        size_t size;
    } file[] = {{binary, size}, {ASCII, sizeof ASCII - 1}, {OBJ, sizeof OBJ - 1}};
    static const double expected[2][9] = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {1, 0, 0, 1, 1, 0.5, 0, 1, 0}};
    for (size_t f = 0; f < 3; ++f) {
        mesh_file m;
        scree_allocator a = scree_allocator_default();
        scree_error error = {.text = ""};
        if (mesh_file_parse(file[f].bytes, file[f].size, "two", NULL, &m, &error) != SCREE_OK)
            fail_msg("%s", error.text);
        assert_int_equal(m.triangle_count, 2);
        for (int t = 0; t < 2; ++t)
            for (int k = 0; k < 9; ++k) assert_true(m.point[3 * m.triangle[3 * t + k / 3] + k % 3] == expected[t][k]);
        mesh_file_free(&m, &a);
    }
}

static void polygons_become_fans(void **state)
{
    (void)state;
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv -1 0.5 0\nf 1 2 3 4 5\n";
    mesh_file m;
    scree_allocator a = scree_allocator_default();
    assert_int_equal(mesh_file_parse(text, sizeof text - 1, "fan", NULL, &m, NULL), SCREE_OK);
    static const int expected[] = {0, 1, 2, 0, 2, 3, 0, 3, 4};
    assert_int_equal(m.triangle_count, 3);
    assert_memory_equal(m.triangle, expected, sizeof expected);
    mesh_file_free(&m, &a);
}

static void damaged_files_are_refused_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
        int line, column;
    } bad[] = {
        {"v 0 0\n", "the line ends before 'z', expected a number", 1, 6},
        {"v 0 0 zero\n", "z 'zero', expected a plain number", 1, 7},
        {"v 0 0 1e999\n", "z '1e999', expected a plain number", 1, 7},
        {"v 0 0 nan\n", "z 'nan', expected a plain number", 1, 7},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "the corner '4', expected a vertex from 1 to 3 (or -1 to -3)", 4, 7},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "the corner '0', expected a vertex from 1 to 3 (or -1 to -3)", 4, 7},
        {"v 0 0 0\nf 1234567890123456789012345 1 1\n",
         "the corner '1234567890123456789012345', expected a vertex from 1 to 1 (or -1 to -1)", 2, 3},
        {"v 0 0 0\nv 1 0 0\nf 1 2\n", "a face ends after too few corners: 'f', expected at least 3", 3, 6},
        {"hello\n", "unknown line 'hello', expected v, f and the like of an OBJ file, or an STL file", 1, 1},
        {"# nothing\n", "the file has no points, expected an STL or OBJ file", 0, 0},
        {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0\n",
         "the line ends before 'z', expected a number", 5, 11},
        {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\n", "found 'endloop', expected 'vertex'", 5,
         1},
        {"solid x\nfacet normal 0 0 1\nouter loop\n", "the file ends before 'vertex', expected the whole facet", 4, 1},
        {"solid x\nendsolid x\n", "no facet in the STL file, expected at least one", 0, 0},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        mesh_file m;
        scree_error error = {.text = ""};
        assert_int_equal(mesh_file_parse(bad[k].text, strlen(bad[k].text), "bad", NULL, &m, &error), SCREE_ERR_INPUT);
        assert_null(m.point);
        assert_string_equal(error.text, bad[k].words);
        assert_int_equal(error.line, bad[k].line);
        assert_int_equal(error.column, bad[k].column);
    }
}

static void damaged_binary_files_are_refused(void **state)
{
    (void)state;
    char bytes[256];
    mesh_file m;
    scree_error error = {.text = ""};
    size_t size = binary_stl(bytes);
    for (size_t cut = 0; cut < size; ++cut) { /* at every byte: never a mesh of what is left */
        char rest[256];
        memcpy(rest, bytes, cut);
        rest[cut] = '\0';
        assert_int_equal(mesh_file_parse(rest, cut, "cut", NULL, &m, &error), SCREE_ERR_INPUT);
    }
    assert_string_equal(error.text,
                        "the file has 183 bytes, but a binary STL file of 2 triangles has 184: it is cut off");
    const uint32_t none = 0;
    char more[256] = {0};
    memcpy(more, bytes, size);
    assert_int_equal(mesh_file_parse(more, size + 1, "more", NULL, &m, &error), SCREE_ERR_INPUT);
    assert_string_equal(error.text, "the file has 185 bytes, but a binary STL file of 2 triangles has 184: it is "
                                    "longer than its count of triangles");
    memcpy(more + 80, &none, 4);
    assert_int_equal(mesh_file_parse(more, size, "none", NULL, &m, &error), SCREE_ERR_INPUT);
    assert_string_equal(error.text, "a binary STL file of 0 triangles, expected 1 to 20000000");
    const uint32_t not_a_number = 0x7fc00000;
    memcpy(bytes + 84 + 50 + 12 + 16, &not_a_number, 4);
    assert_int_equal(mesh_file_parse(bytes, size, "nan", NULL, &m, &error), SCREE_ERR_INPUT);
    assert_string_equal(error.text, "triangle 1: y of corner 1 is nan, expected a finite number");
}

/* ---- grids ---------------------------------------------------------------------------------------------------------------- */

static const char GRID[] =
    "NCOLS 3\nnrows 2\nxllcorner 1e5\nyllcorner 2e5\ncellsize 2.5\nNODATA_value -9999\n1 2 3\n4 -9999\n6\n";

static void a_grid_is_read_from_the_north(void **state)
{
    (void)state;
    grid_file g;
    scree_allocator a = scree_allocator_default();
    scree_error error = {.text = ""};
    if (grid_file_parse(GRID, "grid", NULL, &g, &error) != SCREE_OK) fail_msg("%s", error.text);
    assert_true(g.columns == 3 && g.rows == 2 && g.cell == 2.5);
    assert_true(g.height[0] == 4.0 && isnan(g.height[1]) && g.height[2] == 6.0 && g.height[3] == 1.0 &&
                g.height[5] == 3.0);
    memory_free(&a, g.height);
}

static void damaged_grids_are_refused_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
        int line, column;
    } bad[] = {
        {"ncols 2\nnrows 2\n1 2 3 4\n", "no 'cellsize' before the heights, expected an ESRI ASCII grid", 0, 0},
        {"ncols 2\nncols 2\n", "a second 'ncols', expected each key once", 2, 1},
        {"ncols two\n", "ncols 'two', expected a plain number", 1, 7},
        {"ncols 2\nnrows 2\ncellsize 0\n1 2 3 4\n", "cellsize is 0, expected a length above 0", 0, 0},
        {"ncols 2.5\nnrows 2\ncellsize 1\n1 2 3 4\n", "ncols is 2.5, expected a whole number from 2 to 20000000", 0, 0},
        {"ncols 20000\nnrows 20000\ncellsize 1\n1\n",
         "a grid of 20000 x 20000 points, expected at most 20000000 in all", 0, 0},
        {"ncols 2\nnrows 2\ncellsize 1\n1 2 3\n", "the file is too short for 2 x 2 heights: it is cut off", 0, 0},
        {"ncols 2\nnrows 2\ncellsize 1\n1 2 31415926\n", "3 heights, expected 2 x 2 = 4: the file is cut off", 0, 0},
        {"ncols 2\nnrows 2\ncellsize 1\n1 2 3 4 5\n", "one height too many: '5', expected ncols times nrows of them", 4,
         9},
        {"ncols 2\nnrows 2\ncellsize 1\n1 2\n3 high\n", "the height 'high', expected a plain number within 1e9", 5, 3},
        {"depth 2\n", "unknown key 'depth', expected ncols, nrows, xllcorner, yllcorner, cellsize or NODATA_value", 1,
         1},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        grid_file g;
        scree_error error = {.text = ""};
        assert_int_equal(grid_file_parse(bad[k].text, "bad", NULL, &g, &error), SCREE_ERR_INPUT);
        assert_null(g.height);
        assert_string_equal(error.text, bad[k].words);
        assert_int_equal(error.line, bad[k].line);
        assert_int_equal(error.column, bad[k].column);
    }
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    for (int n = 0, done = 0; !done; ++n) {
        failing f = {.left = n};
        scree_allocator a = failing_allocator(&f);
        mesh_file m;
        grid_file g = {0};
        scree_status status = mesh_file_parse(ASCII, sizeof ASCII - 1, "two", &a, &m, NULL);
        if (status == SCREE_OK) status = grid_file_parse(GRID, "grid", &a, &g, NULL);
        done = status == SCREE_OK;
        if (!done) assert_int_equal(status, SCREE_ERR_MEMORY);
        mesh_file_free(&m, &a);
        memory_free(&a, g.height);
        assert_int_equal(f.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_formats_give_the_same_triangles),
        cmocka_unit_test(polygons_become_fans),
        cmocka_unit_test(damaged_files_are_refused_with_their_place),
        cmocka_unit_test(damaged_binary_files_are_refused),
        cmocka_unit_test(a_grid_is_read_from_the_north),
        cmocka_unit_test(damaged_grids_are_refused_with_their_place),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
