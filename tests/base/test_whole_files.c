/* Whole files, JSON and CSV (scree/files.h). */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <scree/files.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/scree_files_XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void a_file_is_replaced_whole_or_not_at_all(void **state)
{
    (void)state;
    scree_error e = {0};
    scree_new_file f;
    size_t size;
    assert_int_equal(scree_file_replace(in_folder("a"), "old", 3, &e), SCREE_OK);
    assert_int_equal(scree_file_begin(in_folder("a"), &f, &e), SCREE_OK);
    fputs("half", f.stream);
    fflush(f.stream);
    char *text = scree_file_read(in_folder("a"), 100, NULL, &size, &e);
    assert_string_equal(text, "old");
    free(text);
    scree_file_abandon(&f);
    assert_int_equal(access(in_folder("a.tmp"), F_OK), -1);
    assert_int_equal(scree_file_begin(in_folder("a"), &f, &e), SCREE_OK);
    fputs("whole\n", f.stream);
    assert_int_equal(scree_file_end(&f, &e), SCREE_OK);
    text = scree_file_read(in_folder("a"), 100, NULL, &size, &e);
    assert_true(size == 6);
    assert_string_equal(text, "whole\n");
    free(text);

    assert_int_equal(symlink("/dev/full", in_folder("b.tmp")), 0);
    assert_int_equal(scree_file_begin(in_folder("b"), &f, &e), SCREE_OK);
    fputs("lost", f.stream);
    assert_int_equal(scree_file_end(&f, &e), SCREE_ERR_WRITE);
    assert_string_equal(e.text, "cannot write the file: No space left on device");
    assert_int_equal(e.status, SCREE_ERR_WRITE);
    assert_int_equal(access(in_folder("b"), F_OK), -1);
    assert_int_equal(scree_file_begin(in_folder("c"), &f, &e), SCREE_ERR_WRITE); /* sticky */
    assert_null(f.stream);
    e = (scree_error){0};
    assert_int_equal(scree_file_begin(in_folder("none/c"), &f, &e), SCREE_ERR_WRITE);
    assert_string_equal(e.text, "cannot make the file: No such file or directory");
    static char long_name[SCREE_PATH_MAX + 8];
    memset(long_name, 'x', sizeof long_name - 1);
    e = (scree_error){0};
    assert_int_equal(scree_file_begin(long_name, &f, &e), SCREE_ERR_WRITE);
    assert_string_equal(e.text, "cannot make the file: File name too long");
}

static void a_file_is_read_up_to_its_limit(void **state)
{
    (void)state;
    scree_error e = {0};
    size_t size, length = 100000;
    char *bytes = malloc(length), *text;
    for (size_t k = 0; k < length; ++k) bytes[k] = (char)(k % 251);
    assert_int_equal(scree_file_replace(in_folder("long"), bytes, length, &e), SCREE_OK);
    text = scree_file_read(in_folder("long"), SIZE_MAX, NULL, &size, &e);
    assert_true(size == length && memcmp(text, bytes, length) == 0 && text[length] == '\0');
    free(text);
    text = scree_file_read(in_folder("long"), length, NULL, &size, &e);
    assert_true(size == length);
    free(text);
    for (size_t limit = 4094; limit <= 4097; ++limit) {
        text = scree_file_read(in_folder("long"), limit, NULL, &size, &e);
        assert_true(size == limit + 1 && memcmp(text, bytes, size) == 0);
        free(text);
    }
    assert_int_equal(scree_file_replace(in_folder("empty"), "", 0, &e), SCREE_OK);
    text = scree_file_read(in_folder("empty"), 0, NULL, &size, &e);
    assert_true(text && size == 0 && text[0] == '\0');
    free(text), free(bytes);
    assert_null(scree_file_read(in_folder("absent"), 10, NULL, &size, &e));
    assert_int_equal(e.status, SCREE_ERR_FILE);
    assert_string_equal(e.text, "cannot open the file: No such file or directory");
    e = (scree_error){0};
    assert_null(scree_file_read(folder, 10, NULL, &size, &e));
    assert_string_equal(e.text, "cannot read the file: Is a directory");
}

static void folders_are_made_with_those_above(void **state)
{
    (void)state;
    scree_error e = {0};
    struct stat is;
    assert_int_equal(scree_folder_make(in_folder("x/y/z"), &e), SCREE_OK);
    assert_int_equal(scree_folder_make(in_folder("x/y/z"), &e), SCREE_OK);
    assert_true(stat(in_folder("x/y/z"), &is) == 0 && S_ISDIR(is.st_mode));
    assert_int_equal(scree_folder_make(in_folder("a/b"), &e), SCREE_ERR_WRITE);
    assert_string_equal(e.text, "cannot make the folder: Not a directory");
}

static void json_is_what_the_standard_says(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    const double values[] = {0.1, NAN, -INFINITY};
    setlocale(LC_ALL, "de_DE.UTF-8"); /* a decimal comma, where it is installed */
    FILE *out = open_memstream(&text, &size);
    scree_json j = scree_json_start(out);
    scree_json_object(&j, NULL);
    scree_json_text(&j, "a \"key\"", "line\nq\"b\\\xff \xc3\xa4");
    scree_json_text(&j, "none", NULL);
    scree_json_numbers(&j, "values", values, 3);
    scree_json_list(&j, "list");
    scree_json_integer(&j, NULL, INT64_MIN);
    scree_json_bool(&j, NULL, 1);
    scree_json_close(&j);
    scree_json_object(&j, "empty");
    scree_json_close(&j);
    scree_json_close(&j);
    fclose(out);
    setlocale(LC_ALL, "C");
    assert_string_equal(text, "{\n  \"a \\\"key\\\"\": \"line\\u000aq\\\"b\\\\\\ufffd \xc3\xa4\",\n  \"none\": null,\n"
                              "  \"values\": [0.10000000000000001, null, null],\n"
                              "  \"list\": [\n    -9223372036854775808,\n    true\n  ],\n  \"empty\": {}\n}\n");
    free(text);
}

static void csv_fields_come_back_as_they_were(void **state)
{
    (void)state;
    const char *const fields[] = {"plain", "", "with, comma", "a \"quote\"", "end"};
    char *text = NULL, *at, *field;
    size_t size;
    int last = 0;
    FILE *out = open_memstream(&text, &size);
    for (int k = 0; k < 5; ++k) {
        if (k) fputc(',', out);
        scree_csv_write(out, fields[k]);
    }
    fputs("\nnext,", out);
    fclose(out);
    assert_string_equal(text, "plain,,\"with, comma\",\"a \"\"quote\"\"\",end\nnext,");
    at = text;
    for (int k = 0; k < 5; ++k) {
        at = scree_csv_cut(at, &field, &last);
        assert_string_equal(field, fields[k]);
        assert_int_equal(last, k == 4);
    }
    at = scree_csv_cut(at, &field, &last);
    assert_true(strcmp(field, "next") == 0 && !last);
    at = scree_csv_cut(at, &field, &last);
    assert_true(field[0] == '\0' && last && *at == '\0');
    free(text);
}

static void a_folder_belongs_to_one_writer(void **state)
{
    (void)state;
    scree_error e = {0};
    scree_folder_claim *first = scree_folder_claim_take(in_folder("own"), "a test", 0.0, NULL, &e);
    assert_non_null(first);
    assert_null(scree_folder_claim_take(in_folder("own"), "another", 0.05, NULL, &e)); /* in one process too */
    assert_int_equal(e.status, SCREE_ERR_INPUT);
    char process[64];
    snprintf(process, sizeof process, "a test is writing there (process %ld on ", (long)getpid());
    assert_non_null(strstr(e.text, process));
    e = (scree_error){0};
    pid_t child = fork();
    if (child == 0) { /* a child shares the claim, and does not give it away */
        scree_folder_claim_release(first);
        _exit(access(in_folder("own/writer.lock"), F_OK) == 0 ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_null(scree_folder_claim_take(in_folder("own"), "another", 0.0, NULL, &e));
    e = (scree_error){0};
    scree_folder_claim_release(first);
    assert_int_not_equal(access(in_folder("own/writer.lock"), F_OK), 0);
    assert_int_equal(scree_file_replace(in_folder("own/writer.lock"), "killed\n", 7, &e),
                     SCREE_OK); /* by nobody who lives */
    scree_folder_claim *second = scree_folder_claim_take(in_folder("own"), "another", 0.0, NULL, &e);
    assert_non_null(second);
    scree_folder_claim_release(second);
}

static void two_writers_of_a_file_do_not_mix(void **state)
{
    (void)state;
    scree_error e = {0};
    scree_new_file first, second;
    size_t size;
    assert_int_equal(scree_file_begin(in_folder("a"), &first, &e), SCREE_OK);
    fputs("first", first.stream);
    assert_int_equal(scree_file_begin(in_folder("a"), &second, &e), SCREE_ERR_WRITE);
    assert_null(second.stream);
    e = (scree_error){0};
    assert_int_equal(scree_file_replace(in_folder("a"), "x", 1, &e), SCREE_ERR_WRITE);
    e = (scree_error){0};
    assert_int_equal(scree_file_end(&first, &e), SCREE_OK);
    assert_int_equal(scree_file_begin(in_folder("a"), &second, &e), SCREE_OK);
    fputs("second", second.stream);
    assert_int_equal(scree_file_end(&second, &e), SCREE_OK);
    char *text = scree_file_read(in_folder("a"), 100, NULL, &size, &e);
    assert_string_equal(text, "second");
    free(text);
    assert_int_equal(scree_file_begin("/dev/null", &first, &e), SCREE_OK); /* a device is not replaced */
    assert_int_equal(scree_file_end(&first, &e), SCREE_OK);
    struct stat is;
    assert_true(stat("/dev/null", &is) == 0 && S_ISCHR(is.st_mode));
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"a", "b.tmp", "long", "empty", "own", "x/y/z", "x/y", "x", ""};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) remove(in_folder(names[k]));
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_replaced_whole_or_not_at_all), cmocka_unit_test(a_file_is_read_up_to_its_limit),
        cmocka_unit_test(folders_are_made_with_those_above),      cmocka_unit_test(json_is_what_the_standard_says),
        cmocka_unit_test(csv_fields_come_back_as_they_were),      cmocka_unit_test(a_folder_belongs_to_one_writer),
        cmocka_unit_test(two_writers_of_a_file_do_not_mix),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
