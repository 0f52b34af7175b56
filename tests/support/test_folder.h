/* test_folder.h: a folder of the test's own, and files in it read and written whole. Include it after cmocka.h.
 *
 *     return cmocka_run_group_tests(tests, make_folder, remove_folder); */
#ifndef SCREE_TESTS_TEST_FOLDER_H
#define SCREE_TESTS_TEST_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[64]; /* of this run */

/// The path of a name in the folder; four may be in use at a time.
static inline const char *in_folder(const char *name)
{
    static char path[4][512];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

static inline int make_folder(void **state)
{
    (void)state;
    static const char *const places[] = {"/dev/shm", "/tmp"}; /* memory first: thousands of small files */
    for (int k = 0; k < 2; ++k) {
        snprintf(folder, sizeof folder, "%s/scree_test_XXXXXX", places[k]);
        if (mkdtemp(folder)) return 0;
    }
    return -1;
}

static inline void empty_folder(const char *path)
{
    DIR *d = opendir(path);
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));) {
        char name[1024];
        if (e->d_name[0] == '.') continue;
        assert_true((size_t)snprintf(name, sizeof name, "%s/%s", path, e->d_name) < sizeof name);
        if (unlink(name) != 0) empty_folder(name), rmdir(name);
    }
    closedir(d);
}

static inline int remove_folder(void **state)
{
    (void)state;
    empty_folder(folder);
    return rmdir(folder);
}

static inline char *read_whole(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    if (!in) fail_msg("%s is not there", path);
    fseek(in, 0, SEEK_END);
    *size = (size_t)ftell(in);
    rewind(in);
    char *text = malloc(*size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *size, in), *size);
    text[*size] = '\0';
    fclose(in);
    return text;
}

static inline void write_whole(const char *path, const char *bytes, size_t size)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    fclose(out);
}

#endif
