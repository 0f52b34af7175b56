/* report_page.c: the page of a report (report.h): report/page.html with its marks replaced.
 *
 *     @STYLE@ @SCRIPT@ @BLOCKS@   report/style.css, the scripts one after the other, the blocks
 *     @NONCE@                     a word that the Content-Security-Policy asks of every script and style
 *
 * The policy lets nothing run or load but what carries the word. It is made from the blocks, so that the same folder gives the same page,
 * and so that nobody can put it into a scene beforehand. */
#include "cli/report/report.h"

#include "base/file.h"
#include "base/hash.h"
#include "cli/embedded.h"
#include "cli/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE, STYLE, FIRST_SCRIPT };

size_t report_page_size(void)
{
    size_t size = 0;
    for (const embedded_file *f = report_files; f->path; ++f) size += f->size;
    return size;
}

typedef struct page {
    out_file file;
    char nonce[33], *manifest;
    const report_blocks *blocks;
} page;

static void put_blocks(page *p)
{
    file_text(&p->file, p->manifest);
    for (int k = 0; k < p->blocks->count; ++k) {
        file_text(&p->file, "\n");
        file_text(&p->file, p->blocks->line[k]);
    }
}

/// Writes what a mark stands for; returns its length, 0 if there is none at `at`.
static size_t put_mark(page *p, const char *at)
{
    static const char *const marks[] = {"@STYLE@", "@SCRIPT@", "@BLOCKS@", "@NONCE@"};
    size_t k = 0;
    while (k < 4 && strncmp(at, marks[k], strlen(marks[k])) != 0) ++k;
    if (k == 4) return 0;
    if (k == 0) file_bytes(&p->file, report_files[STYLE].text, report_files[STYLE].size);
    for (const embedded_file *f = &report_files[FIRST_SCRIPT]; k == 1 && f->path; ++f)
        file_bytes(&p->file, f->text, f->size);
    if (k == 2) put_blocks(p);
    if (k == 3) file_text(&p->file, p->nonce);
    return strlen(marks[k]);
}

scree_status report_page_write(const char *path, const char *manifest, size_t manifest_size,
                               const report_blocks *blocks, size_t *size, scree_error *error)
{
    page p = {.blocks = blocks};
    char *buffer = cli_memory(FILE_BUFFER);
    scree_status status = file_create(&p.file, path, buffer, error);
    if (status == SCREE_OK) {
        uint64_t hash = hash_bytes(0, manifest, manifest_size);
        for (int k = 0; k < blocks->count; ++k) hash = hash_bytes(hash, blocks->line[k], strlen(blocks->line[k]));
        snprintf(p.nonce, sizeof p.nonce, "%016" PRIx64 "%016" PRIx64, hash, hash_mix(hash));
        p.manifest = report_line(manifest, manifest_size);
        for (const char *at = report_files[PAGE].text, *end = at + report_files[PAGE].size; at < end;) {
            size_t mark = *at == '@' ? put_mark(&p, at) : 0, plain = 1;
            while (!mark && at + plain < end && at[plain] != '@') ++plain;
            if (!mark) file_bytes(&p.file, at, plain);
            at += mark ? mark : plain;
        }
        free(p.manifest);
        *size = (size_t)p.file.size;
        status = file_finish(&p.file, 0, error);
    }
    free(buffer);
    return status;
}
