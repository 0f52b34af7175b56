/* Every scene under tests/scenes/bad gives exactly the line, column and words that its first comment line says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <scree/run.h>

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define FOLDER "tests/scenes/bad"

/// Judges one file; 0: it is as it says.
static int judge(const char *name)
{
    char path[512], expected[2048], line[1024], found[2048];
    scree_scene *scene = NULL;
    scree_error error = {.text = ""};
    snprintf(path, sizeof path, FOLDER "/%s", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "# ", 2) != 0) {
        print_error("%s: the first line is not '# line:column: error: words'\n", path);
        return 1;
    }
    snprintf(expected, sizeof expected, "%s:%s", path, line + 2);
    scene = scree_scene_read(path, NULL, 0, NULL, &error);
    if (scene) { /* what only its building can know */
        scree_simulation_destroy(scree_simulation_create(scene, 1, NULL, &error));
        if (error.status != SCREE_OK) scree_scene_destroy(scene), scene = NULL;
    }
    scree_status status = error.status;
    scree_error_format(&error, found, sizeof found);
    if (status == SCREE_OK) {
        print_error("%s: was accepted\n", path);
        scree_scene_destroy(scene);
        return 1;
    }
    assert_null(scene);
    if (status == SCREE_ERR_INPUT && strcmp(expected, found) == 0) return 0;
    print_error("expected %s\n   found %s\n", expected, found);
    return 1;
}

static void every_bad_scene_says_what_is_wrong_and_where(void **state)
{
    (void)state;
    int count = 0, wrong = 0;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        size_t n = strlen(entry->d_name);
        if (n < 5 || strcmp(entry->d_name + n - 5, ".yaml") != 0) continue;
        wrong += judge(entry->d_name);
        ++count;
    }
    closedir(folder);
    print_message("%d bad scenes\n", count);
    assert_true(count >= 60);
    assert_int_equal(wrong, 0);
}

static void a_file_that_is_not_there_is_a_file_error(void **state)
{
    (void)state;
    scree_error error = {.text = ""};
    scree_scene *scene = scree_scene_read("tests/scenes/none.yaml", NULL, 0, NULL, &error);
    assert_int_equal(error.status, SCREE_ERR_FILE);
    assert_null(scene);
    assert_non_null(strstr(error.text, "cannot open"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bad_scene_says_what_is_wrong_and_where),
        cmocka_unit_test(a_file_that_is_not_there_is_a_file_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
