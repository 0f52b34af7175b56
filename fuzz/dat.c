/* Any text into the .dat reader; what it accepts is written and read again with the same bits, and made a problem. */
#include "fuzz.h"
#include "problem/raw.h"

#include <string.h>

/// Sums of duplicate entries may have overflowed; a writer cannot say infinity.
static int is_finite(const raw_problem *raw)
{
    for (int k = 0; k < RAW_MATRICES; ++k)
        for (size_t e = 0; e < raw_matrix_entries(&raw->matrix[k]); ++e)
            if (!isfinite(raw->matrix[k].value[e])) return 0;
    return 1;
}

static void write_and_read(const raw_problem *raw)
{
    static const scree_file_kind forced[] = {[RAW_LOCAL] = SCREE_FILE_LOCAL, [RAW_GLOBAL] = SCREE_FILE_GLOBAL};
    char *text = NULL;
    size_t size = 0;
    scree_error error = {0};
    raw_problem *again;
    FILE *out = open_memstream(&text, &size);
    require(out != NULL, "no memory stream");
    require(raw_write_dat(raw, out, "fuzz", &error) == SCREE_OK, "what was read cannot be written");
    fclose(out);
    if (raw_read_dat(text, size, "again", forced[raw->kind], NULL, &again, &error) != SCREE_OK) require(0, error.text);
    require(raw_equal(raw, again), "what was written is not what was read");
    raw_destroy(again);
    require(raw_read_dat(text, size, "again", SCREE_FILE_DETECT, NULL, &again, &error) == SCREE_OK, "kind not found");
    require(again->kind == raw->kind, "the kind was guessed wrong");
    raw_destroy(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    raw_problem *raw;
    scree_problem *problem;
    scree_error error = {.text = ""};
    if (size == 0) return 0;
    scree_file_kind kind = (scree_file_kind)(data[0] % 3); /* the first byte says how, the rest is the text */
    char *text = malloc(size);
    require(text != NULL, "no memory");
    memcpy(text, data + 1, size - 1);
    scree_status status = raw_read_dat(text, size - 1, "fuzz", kind, NULL, &raw, &error);
    free(text);
    require((status == SCREE_OK) == (raw != NULL), "status and problem disagree");
    if (status != SCREE_OK) {
        require(status == SCREE_ERR_INPUT && error.text[0] && error.line > 0 && error.column > 0,
                "a mistake without a place");
        return 0;
    }
    if (is_finite(raw)) write_and_read(raw);
    status = raw_to_problem(raw, "fuzz", NULL, &problem, &error);
    require(status == SCREE_OK || error.text[0] != '\0', "no problem, and no reason");
    scree_problem_destroy(problem);
    raw_destroy(raw);
    return 0;
}
