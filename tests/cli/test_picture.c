/* Pictures judged by closed forms: outlines of spheres and squares have the area that geometry gives them, light falls where it must,
 * the pixels do not depend on threads, and what PNG and GIF hold, read by decoders of this test, is the image. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "cli/draw/picture.h"
#include "cli/draw/strokes.h"
#include "math/vec.h"
#include "test_folder.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

static const double PI = 3.14159265358979323846, ORIGIN[3] = {0, 0, 0}, UP[3] = {0, 0, 1};
static const colour WHITE = {255, 255, 255}, BLACK = {0, 0, 0};
enum { WIDTH = 300, HEIGHT = 200 };
static const double ANGLE = 0.6;

static render_item sphere_at(double x, double y, double z, double r, colour c)
{
    render_item s = {.kind = RENDER_SPHERE, .point = {x, y, z}, .radius = r};
    render_albedo(c, s.albedo);
    return s;
}

/// Triangle whose normal is the cross product of its sides.
static render_item triangle_of(const double a[3], const double b[3], const double c[3], colour paint)
{
    render_item t = {.kind = RENDER_TRIANGLE};
    double ab[3], ac[3];
    memcpy(t.point, a, sizeof t.point), memcpy(t.side[0], b, sizeof t.point), memcpy(t.side[1], c, sizeof t.point);
    vec_sub(b, a, ab), vec_sub(c, a, ac);
    vec_cross(ab, ac, t.normal);
    double length = vec_norm(t.normal);
    for (int i = 0; i < 3; ++i) t.normal[i] /= length;
    render_albedo(paint, t.albedo);
    return t;
}

static image draw(const render_item *item, int count, const double eye[3], colour background, int threads)
{
    render_scene scene = {.item_count = count, .item = item, .reach = 4.0, .up = {0, 0, 1}, .grid = 0.5};
    render_camera camera = render_look(eye, ORIGIN, UP, ANGLE);
    scree_pool *pool;
    scene.background = background;
    pool = scree_pool_create(threads, NULL, NULL);
    assert_non_null(pool);
    image im = image_create(WIDTH, HEIGHT, BLACK);
    render(&scene, &camera, 3, pool, &im);
    scree_pool_destroy(pool);
    return im;
}

/// Pixels that are black, those at the edge in part: black things on white.
static double black_area(const image *im)
{
    double area = 0.0;
    for (size_t k = 0; k < (size_t)im->width * (size_t)im->height; ++k) area += 1.0 - render_linear(im->rgb[3 * k + 1]);
    return area;
}

static const unsigned char *pixel_at(const image *im, int x, int y)
{
    return im->rgb + 3 * ((size_t)y * (size_t)im->width + (size_t)x);
}

/* ---- outlines ------------------------------------------------------------------------------------------------------------- */

/// A sphere seen by perspective is an ellipse: with the angle a between its middle and the middle of the view and its own half angle b,
/// the half axes on a screen at distance 1 are sin b cos b / (cos^2 a - sin^2 b) and sin b / sqrt(cos^2 a - sin^2 b).
static void the_outline_of_a_sphere_is_its_ellipse(void **state)
{
    (void)state;
    const double eye[3] = {0, -10, 0}, pixel = 2.0 * tan(0.5 * ANGLE) / WIDTH;
    for (int k = 0; k < 3; ++k) {
        const double x = 0.8 * k, r = 1.0 - 0.2 * k, away = sqrt(100.0 + x * x);
        const double below = 100.0 / (away * away) - r * r / (away * away), s = r / away;
        const render_item ball = sphere_at(x, 0, 0, r, BLACK);
        image im = draw(&ball, 1, eye, WHITE, 1);
        double expected = PI * s * sqrt(1.0 - s * s) / below * s / sqrt(below) / (pixel * pixel);
        double shine = 0.02 * expected; /* a black ball has a sheen, at most 2 % of white on the mean */
        double found = black_area(&im);
        if (found > expected * 1.003 || found < expected * 0.997 - shine)
            fail_msg("ball %d: area %g, expected %g", k, found, expected);
        image_free(&im);
    }
}

static void the_outline_of_a_square_is_a_square(void **state)
{
    (void)state;
    const double eye[3] = {0, -10, 0}, pixel = 2.0 * tan(0.5 * ANGLE) / WIDTH, h = 1.1;
    const double p[4][3] = {{-h, 0, -h}, {h, 0, -h}, {h, 0, h}, {-h, 0, h}};
    const render_item two[2] = {triangle_of(p[0], p[1], p[2], BLACK), triangle_of(p[0], p[2], p[3], BLACK)};
    image im = draw(two, 2, eye, WHITE, 1);
    double expected = 4.0 * h * h / 100.0 / (pixel * pixel), found = black_area(&im);
    assert_true(fabs(found - expected) < 0.02 * expected);
    for (int k = -20; k <= 20; ++k) /* no gap where the two meet */
        assert_true(pixel_at(&im, WIDTH / 2 + k, HEIGHT / 2 - k)[1] < 90);
    image_free(&im);
}

static void what_is_nearer_is_seen(void **state)
{
    (void)state;
    const colour red = {200, 0, 0}, blue = {0, 0, 200};
    const double eye[3] = {0, -10, 0};
    for (int order = 0; order < 2; ++order) {
        const render_item far = sphere_at(0, 1, 0, 1, blue), near = sphere_at(0, -1, 0, 0.5, red);
        const render_item both[2] = {order ? far : near, order ? near : far};
        image im = draw(both, 2, eye, WHITE, 1);
        const unsigned char *middle = pixel_at(&im, WIDTH / 2, HEIGHT / 2);
        assert_true(middle[0] > 60 && middle[2] < middle[0] / 2);
        const unsigned char *beside = pixel_at(&im, WIDTH / 2 + 37, HEIGHT / 2);
        assert_true(beside[2] > 40 && beside[0] < beside[2]);
        const unsigned char *corner = pixel_at(&im, 2, 2);
        assert_true(corner[0] == 255 && corner[1] == 255 && corner[2] == 255);
        image_free(&im);
    }
}

/* ---- light ------------------------------------------------------------------------------------------------------------------ */

static void a_level_ground_in_the_open_receives_one_and_less_beside_a_wall(void **state)
{
    (void)state;
    const double eye[3] = {3, -10, 5}, low[3] = {0.0, 0.0, -1.0}, far[3] = {2.5, 0.0, -1.0};
    const render_item ball = sphere_at(0, 0, 0, 1.0, WHITE);
    const render_camera camera = render_look(eye, ORIGIN, UP, ANGLE);
    render_scene scene = {.item_count = 0, .item = &ball, .reach = 4.0, .up = {0, 0, 1}, .grid = 0.5};
    double open;
    render_lights *lights = render_lights_create(&scene, &camera, 0.01, NULL);
    assert_true(fabs(render_light_at(lights, low, UP, &open) - 1.0) < 1e-5 && fabs(open - 1.0) < 1e-5);
    render_lights_free(lights);
    scene.item_count = 1;
    lights = render_lights_create(&scene, &camera, 0.01, NULL);
    assert_true(render_light_at(lights, low, UP, &open) < 0.12); /* below the ball, where it touches the ground */
    assert_true(render_light_at(lights, far, UP, &open) > 0.8);
    double shadow[3]; /* the middle of the ball's shadow on the ground */
    vec_add_scaled(ORIGIN, -1.0 / render_sun(lights)[2], render_sun(lights), shadow);
    assert_true(render_light_at(lights, shadow, UP, &open) < 0.4);
    const double *sun = render_sun(lights), top[3] = {sun[0], sun[1], sun[2]};
    assert_true(render_light_at(lights, top, sun, &open) == open); /* where the sun stands upright nothing shades */
    render_lights_free(lights);
}

static void pixels_do_not_depend_on_threads(void **state)
{
    (void)state;
    const double eye[3] = {4, -9, 5};
    render_item item[41];
    for (int k = 0; k < 40; ++k)
        item[k] = sphere_at(0.8 * (k % 7) - 2.4, 0.7 * floor(k / 7.0) - 2.0, 0.3 + 0.1 * (k % 3), 0.3 + 0.01 * k,
                            (colour){(unsigned char)(5 * k), (unsigned char)(255 - 6 * k), 120});
    item[40] = (render_item){.kind = RENDER_PLANE, .side = {{1, 0, 0}, {0, 1, 0}}, .normal = {0, 0, 1}};
    render_albedo(WHITE, item[40].albedo);
    uint64_t first = 0;
    for (int threads = 1; threads <= 5; threads += 2) {
        image im = draw(item, 41, eye, WHITE, threads);
        uint64_t hash = hash_bytes(0, im.rgb, (size_t)WIDTH * HEIGHT * 3);
        if (threads == 1) first = hash;
        assert_true(hash == first);
        image_free(&im);
    }
}

/* ---- files ------------------------------------------------------------------------------------------------------------------ */

/// A picture with gradients, edges and text.
static image sample_image(int phase)
{
    image im = image_create(97, 61, WHITE);
    for (int y = 0; y < im.height; ++y)
        for (int x = 0; x < im.width; ++x)
            image_blend(&im, x, y,
                        (colour){(unsigned char)(2 * x), (unsigned char)(4 * y), (unsigned char)(x * y % 251)}, 1.0);
    image_rectangle(&im, 10.0 + phase, 10.0, 30.0 + phase, 25.0, (colour){200, 30, 30});
    image_line(&im, 5, 50, 90, 12, 2.0, BLACK);
    image_text(&im, 40, 50, 9, -1, 0, BLACK, "t = 1 s");
    return im;
}

static unsigned long u32_at(const char *p)
{
    const unsigned char *u = (const unsigned char *)p;
    return (unsigned long)u[0] << 24 | (unsigned long)u[1] << 16 | (unsigned long)u[2] << 8 | u[3];
}

/// Undoes the filters of PNG in place of a library.
static void unfilter(const unsigned char *rows, int width, int height, unsigned char *rgb)
{
    int n = 3 * width;
    for (int y = 0; y < height; ++y, rows += n + 1)
        for (int i = 0; i < n; ++i) {
            unsigned char *now = rgb + (size_t)y * (size_t)n + i;
            int a = i >= 3 ? now[-3] : 0, b = y > 0 ? now[-n] : 0, c = i >= 3 && y > 0 ? now[-n - 3] : 0;
            int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
            int paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
            int add = rows[0] == 0 ? 0 : rows[0] == 1 ? a : rows[0] == 2 ? b : rows[0] == 3 ? (a + b) / 2 : paeth;
            *now = (unsigned char)(rows[1 + i] + add);
        }
}

static void png_holds_the_image(void **state)
{
    (void)state;
    scree_error error = {0};
    image im = sample_image(0);
    size_t size, at = 8;
    assert_int_equal(image_write_png(&im, in_folder("x.png"), &error), SCREE_OK);
    char *file = read_whole(in_folder("x.png"), &size);
    assert_memory_equal(file, "\x89PNG\r\n\x1a\n", 8);
    uLongf raw = (3 * (uLongf)im.width + 1) * (uLongf)im.height;
    unsigned char *rows = malloc(raw), *rgb = malloc(raw);
    assert_non_null(rows);
    assert_non_null(rgb);
    int chunks = 0;
    for (; at < size; ++chunks) {
        unsigned long length = u32_at(file + at);
        assert_true(u32_at(file + at + 8 + length) == crc32(0, (const Bytef *)file + at + 4, (uInt)length + 4));
        if (memcmp(file + at + 4, "IHDR", 4) == 0)
            assert_true(u32_at(file + at + 8) == (unsigned long)im.width &&
                        u32_at(file + at + 12) == (unsigned long)im.height);
        if (memcmp(file + at + 4, "IDAT", 4) == 0)
            assert_int_equal(uncompress(rows, &raw, (const Bytef *)file + at + 8, length), Z_OK);
        at += length + 12;
    }
    assert_int_equal(chunks, 3);
    unfilter(rows, im.width, im.height, rgb);
    assert_memory_equal(rgb, im.rgb, (size_t)(3 * im.width * im.height));
    free(rows), free(rgb), free(file);
    assert_int_equal(image_write_png(&im, in_folder("nowhere/x.png"), &error), SCREE_ERR_WRITE);
    assert_non_null(strstr(error.text, "cannot make the file"));
    image_free(&im);
}

/// Bits of the sub-blocks of a GIF image, lowest first.
typedef struct bit_reader {
    const unsigned char *at;
    int left, held;
    unsigned long bits;
} bit_reader;

static int read_code(bit_reader *b, int width)
{
    while (b->held < width) {
        if (b->left == 0) b->left = *b->at++;
        b->bits |= (unsigned long)*b->at++ << b->held;
        b->held += 8, b->left -= 1;
    }
    int code = (int)(b->bits & ((1UL << width) - 1));
    b->bits >>= width, b->held -= width;
    return code;
}

/// LZW as the format describes it, written for this test. Returns where the image ends.
static const unsigned char *unpack_gif(const unsigned char *at, unsigned char *out, size_t count)
{
    static int before[4096], length[4096];
    static unsigned char last[4096];
    assert_int_equal(at[0], 8);
    bit_reader b = {.at = at + 1};
    int next = 258, width = 9, previous = -1;
    size_t done = 0;
    for (int k = 0; k < 256; ++k) before[k] = -1, length[k] = 1, last[k] = (unsigned char)k;
    for (int code; (code = read_code(&b, width)) != 257;) {
        if (code == 256) {
            next = 258, width = 9, previous = -1;
            continue;
        }
        assert_true(code < next || (code == next && previous >= 0));
        int known = code < next ? code : previous, first = known;
        while (before[first] >= 0) first = before[first];
        if (previous >= 0 && next < 4096) {
            before[next] = previous, length[next] = length[previous] + 1, last[next] = last[first];
            ++next;
            if (next == 1 << width && width < 12) ++width;
        }
        assert_true(done + (size_t)length[code] <= count);
        for (int k = code, i = length[code] - 1; k >= 0; k = before[k], --i) out[done + (size_t)i] = last[k];
        done += (size_t)length[code], previous = code;
    }
    assert_int_equal(done, count);
    b.at += b.left;
    while (*b.at) b.at += *b.at + 1;
    return b.at + 1;
}

static void gif_holds_the_images_in_its_colours(void **state)
{
    (void)state;
    enum { IMAGES = 3 };
    scree_error error = {0};
    size_t size, pixels = 97 * 61;
    image im[IMAGES];
    for (int k = 0; k < IMAGES; ++k) im[k] = sample_image(7 * k);
    animation *a = animation_start(in_folder("x.gif"), 0.05, im, 1, &error);
    assert_non_null(a);
    for (int k = 0; k < IMAGES; ++k) animation_add(a, &im[k]);
    assert_int_equal(animation_end(a, &error), SCREE_OK);
    char *file = read_whole(in_folder("x.gif"), &size);
    const unsigned char *palette = (const unsigned char *)file + 13, *at = palette + 768 + 19;
    unsigned char *now = malloc(pixels), *shown = malloc(pixels);
    assert_non_null(now);
    assert_non_null(shown);
    for (int k = 0; k < IMAGES; ++k) {
        double off = 0.0;
        assert_true(at[0] == 0x21 && at[1] == 0xF9 && at[4] == 5 && at[5] == 0 && at[8] == 0x2C);
        at = unpack_gif(at + 18, now, pixels);
        for (size_t i = 0; i < pixels; ++i) {
            if (now[i] != 255) shown[i] = now[i];
            else assert_true(k > 0);
            for (int c = 0; c < 3; ++c) off += abs(palette[3 * shown[i] + c] - im[k].rgb[3 * i + (size_t)c]);
        }
        assert_true(off / (3.0 * (double)pixels) <
                    10.0); /* 255 colours for a picture of thousands: a few steps of 255 */
    }
    assert_int_equal(at[0], 0x3B);
    free(now), free(shown), free(file);
    for (int k = 0; k < IMAGES; ++k) image_free(&im[k]);
}

static void text_is_as_wide_as_it_says_and_never_leaves_the_picture(void **state)
{
    (void)state;
    image im = image_create(200, 40, WHITE);
    double wide = image_text_width(12, "angle 27 deg");
    image_text(&im, 100, 26, 12, 0, 0, BLACK, "angle 27 deg");
    int first = im.width, last = -1;
    for (int y = 0; y < im.height; ++y)
        for (int x = 0; x < im.width; ++x)
            if (pixel_at(&im, x, y)[0] < 200) first = x < first ? x : first, last = x > last ? x : last;
    assert_true(fabs(first - (100 - 0.5 * wide)) < 3.0 && fabs(last - (100 + 0.5 * wide)) < 3.0);
    image_text(&im, -30, 500, 300, 1, 1, BLACK, "\xC3\xA4 outside, and \x01 unknown");
    image_line(&im, -1e4, -1e4, 1e4, 1e4, 3.0, BLACK);
    image_free(&im);
}

/// Two boxes, the second moved by (0, 0, 1) and turned by a quarter about x, under a joint of every kind: what marks it is where each
/// body has carried it, about its anchor, along its axis.
static void strokes_of_joints_go_with_the_bodies(void **state)
{
    (void)state;
    const scree_shape box[2] = {scree_shape_box(0.1, 0.2, 0.3, scree_material_at(0)),
                                scree_shape_box(0.05, 0.4, 0.3, scree_material_at(0))};
    const int32_t body[2] = {0, 1};
    static const int expected[SCREE_JOINT_KIND_COUNT] = {1, 2, 2, 3, 3, 2, 2};
    const unsigned char there[2] = {SCREE_BODY_DYNAMIC, SCREE_BODY_DYNAMIC},
                        gone[2] = {SCREE_BODY_DYNAMIC, SCREE_BODY_REMOVED};
    const double x[6] = {0, 0, 0, 0, 0, 1}, q[8] = {1, 0, 0, 0, sqrt(0.5), sqrt(0.5), 0, 0};
    for (int kind = 0; kind < SCREE_JOINT_KIND_COUNT; ++kind) {
        scree_frame_joint joint = {.kind = (scree_joint_kind)kind, .body_a = 1, .body_b = -1};
        joint.anchor_a[1] = 0.4, joint.anchor_b[0] = 2.0, joint.axis[2] = 1.0;
        scree_frame f = {.body_count = 2, .shape_count = 2, .kind = there, .position = x, .rotation = q, .shape = box};
        f.shape_body = body, f.joint_count = 1, f.joint = &joint;
        int count;
        joint_stroke *stroke = joint_strokes(&f, &count);
        assert_int_equal(count, expected[kind]);
        for (int k = 0; k < count; ++k) {
            double end[2][3];
            assert_true(stroke[k].radius > 0.005 && stroke[k].radius < 0.05);
            for (int side = 0; side < 2; ++side) {
                stroke_end(&f, &stroke[k], side, end[side]);
                if (stroke[k].body[side] < 0) assert_true(fabs(end[side][0] - 2.0) < 1e-12); /* on the ground */
            }
            int between = stroke[k].body[0] != stroke[k].body[1];
            assert_true(!between || kind == SCREE_JOINT_DISTANCE);
            if (stroke[k].body[0] < 0 || between) continue;
            const double middle[3] = {0.0, 0.0, 1.4}; /* y of the body is z of the world */
            for (int i = 0; i < 3; ++i) assert_true(fabs(0.5 * (end[0][i] + end[1][i]) - middle[i]) < 1e-12);
            if (kind == SCREE_JOINT_HINGE && k == 0)
                assert_true(fabs(end[1][1] - end[0][1]) > 0.2); /* its axis is -y now */
        }
        free(stroke);
        f.kind = gone;
        stroke = joint_strokes(&f, &count);
        assert_int_equal(count, 0);
        free(stroke);
    }
}

/// The colours of a GIF's palette stand behind its head of 13 bytes.
static double nearest_in_palette(const char *path, const int rgb[3])
{
    unsigned char head[13 + 768];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fread(head, 1, sizeof head, f), sizeof head);
    fclose(f);
    double least = HUGE_VAL;
    for (int k = 0; k < 255; ++k) {
        double d = 0.0;
        for (int i = 0; i < 3; ++i) d += pow(head[13 + 3 * k + i] - rgb[i], 2.0);
        least = fmin(least, sqrt(d));
    }
    return least;
}

/// Thousands of shades of brown, and thirty pixels of red, green and blue: median cut alone makes these brown.
static void a_gif_keeps_colours_that_few_pixels_have(void **state)
{
    (void)state;
    static const int accent[3][3] = {{220, 30, 30}, {20, 190, 80}, {30, 90, 230}};
    scree_error error = {0};
    image im = image_create(400, 300, (colour){250, 250, 250});
    for (int k = 0; k < 400 * 300; ++k) {
        unsigned h = (unsigned)k * 2654435761u;
        im.rgb[3 * k] = (unsigned char)(120 + h % 110), im.rgb[3 * k + 1] = (unsigned char)(90 + (h >> 8) % 100);
        im.rgb[3 * k + 2] = (unsigned char)(60 + (h >> 16) % 90);
    }
    for (int k = 0; k < 30; ++k)
        for (int i = 0; i < 3; ++i) im.rgb[3 * (1000 * k + 7) + i] = (unsigned char)accent[k % 3][i];
    animation *a = animation_start(in_folder("accent.gif"), 0.05, &im, 1, &error);
    assert_non_null(a);
    animation_add(a, &im);
    assert_int_equal(animation_end(a, &error), SCREE_OK);
    for (int k = 0; k < 3; ++k) assert_true(nearest_in_palette(in_folder("accent.gif"), accent[k]) < 8.0);
    image_free(&im);
}

/// A colour that only the second of two images has, and a ground whose grey goes from 240 to 255: no edge of more than 3 shades in it.
static void a_gif_has_the_colours_of_all_samples_and_fine_greys(void **state)
{
    (void)state;
    enum { WIDE = 160, HIGH = 90 };
    scree_error error = {0};
    const int red[3] = {220, 30, 30};
    image im[2] = {image_create(WIDE, HIGH, (colour){250, 250, 250}),
                   image_create(WIDE, HIGH, (colour){250, 250, 250})};
    for (int n = 0; n < 2; ++n)
        for (int k = 0; k < WIDE * HIGH; ++k) memset(im[n].rgb + 3 * k, 240 + k % WIDE / 10, 3);
    for (int i = 0; i < 3; ++i) im[1].rgb[3 * 500 + i] = (unsigned char)red[i];
    animation *a = animation_start(in_folder("samples.gif"), 0.05, im, 2, &error);
    assert_non_null(a);
    animation_add(a, &im[0]);
    assert_int_equal(animation_end(a, &error), SCREE_OK);
    assert_true(nearest_in_palette(in_folder("samples.gif"), red) < 8.0);
    for (int grey = 240; grey < 256; ++grey)
        assert_true(nearest_in_palette(in_folder("samples.gif"), (int[3]){grey, grey, grey}) < 3.0 * sqrt(3.0));
    image_free(&im[0]), image_free(&im[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gif_has_the_colours_of_all_samples_and_fine_greys),
        cmocka_unit_test(strokes_of_joints_go_with_the_bodies),
        cmocka_unit_test(the_outline_of_a_sphere_is_its_ellipse),
        cmocka_unit_test(the_outline_of_a_square_is_a_square),
        cmocka_unit_test(what_is_nearer_is_seen),
        cmocka_unit_test(a_level_ground_in_the_open_receives_one_and_less_beside_a_wall),
        cmocka_unit_test(pixels_do_not_depend_on_threads),
        cmocka_unit_test(png_holds_the_image),
        cmocka_unit_test(gif_holds_the_images_in_its_colours),
        cmocka_unit_test(text_is_as_wide_as_it_says_and_never_leaves_the_picture),
        cmocka_unit_test(a_gif_keeps_colours_that_few_pixels_have),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
