/* report_page.c: the page of a report (report.h): report/page.html with its marks replaced.
 *
 *     @STYLE@ @SCRIPT@ @BLOCKS@   report/style.css, the scripts one after the other, the blocks
 *     @POLICY@                    what else the policy allows: nothing, in a report
 *     @NONCE@                     a word that the Content-Security-Policy asks of every script and style
 *
 * The policy lets nothing run or load but what carries the word. It is made from the blocks, so that the same folder gives the same page,
 * and so that nobody can put it into a scene beforehand. */
#include "cli/report/report.h"

#include "cli/embedded.h"
#include "cli/system.h"
#include "cli/vector.h"

#include <scree/files.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE, STYLE, FIRST_SCRIPT };

static const report_kind report_page = {report_files, ""};

size_t report_page_size(void)
{
    size_t size = 0;
    for (const embedded_file *f = report_files; f->path; ++f) size += f->size;
    return size;
}

typedef struct page {
    FILE *out;
    const report_kind *kind;
    char nonce[33], *manifest;
    const report_blocks *blocks;
} page;

static void put_text(page *p, const char *text)
{
    fputs(text, p->out);
}

static void put_file(page *p, const embedded_file *f)
{
    fwrite(f->text, 1, f->size, p->out);
}

/// Mixes a text into a number, byte by byte.
static uint64_t mix_text(uint64_t hash, const char *text, size_t size)
{
    for (size_t k = 0; k < size; ++k) hash = random_mix(hash ^ (unsigned char)text[k]);
    return hash;
}

static void put_blocks(page *p)
{
    put_text(p, p->manifest);
    for (int k = 0; k < p->blocks->count; ++k) {
        put_text(p, "\n");
        put_text(p, p->blocks->line[k]);
    }
}

/// Writes what a mark stands for; returns its length, 0 if there is none at `at`.
static size_t put_mark(page *p, const char *at)
{
    static const char *const marks[] = {"@STYLE@", "@SCRIPT@", "@BLOCKS@", "@POLICY@", "@NONCE@"};
    size_t k = 0;
    while (k < 5 && strncmp(at, marks[k], strlen(marks[k])) != 0) ++k;
    if (k == 5) return 0;
    if (k == 0) put_file(p, &p->kind->files[STYLE]);
    for (const embedded_file *f = &p->kind->files[FIRST_SCRIPT]; k == 1 && f->path; ++f) put_file(p, f);
    if (k == 2) put_blocks(p);
    if (k == 3) put_text(p, p->kind->policy);
    if (k == 4) put_text(p, p->nonce);
    return strlen(marks[k]);
}

void report_page_print(FILE *out, const report_kind *kind, const char *manifest, size_t manifest_size,
                       const report_blocks *blocks)
{
    page p = {.out = out,
              .kind = kind ? kind : &report_page,
              .blocks = blocks,
              .manifest = report_line(manifest, manifest_size)};
    uint64_t hash = mix_text(0, manifest, manifest_size);
    for (int k = 0; k < blocks->count; ++k) hash = mix_text(hash, blocks->line[k], strlen(blocks->line[k]));
    snprintf(p.nonce, sizeof p.nonce, "%016" PRIx64 "%016" PRIx64, hash, random_mix(hash));
    for (const char *at = p.kind->files[PAGE].text, *end = at + p.kind->files[PAGE].size; at < end;) {
        size_t mark = *at == '@' ? put_mark(&p, at) : 0, plain = 1;
        while (!mark && at + plain < end && at[plain] != '@') ++plain;
        if (!mark) fwrite(at, 1, plain, p.out);
        at += mark ? mark : plain;
    }
    free(p.manifest);
}

scree_status report_page_write(const char *path, const report_kind *kind, const char *manifest, size_t manifest_size,
                               const report_blocks *blocks, size_t *size, scree_error *error)
{
    scree_new_file file;
    scree_status status = scree_file_begin(path, &file, error);
    if (status != SCREE_OK) return status;
    report_page_print(file.stream, kind, manifest, manifest_size, blocks);
    long end = ftell(file.stream);
    *size = end > 0 ? (size_t)end : 0;
    return scree_file_end(&file, error);
}
