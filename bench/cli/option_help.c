/* --help from an option table; see option.h. */
#include "cli/option.h"

#include <stdlib.h>
#include <string.h>

#include "util/strbuf.h"

#define COLUMN 30
#define WIDTH 80

/* Prints a text from the column on, broken at blanks. */
static void print_wrapped(const char *text, size_t used, FILE *out) {
    size_t at = used;
    while (*text != '\0') {
        size_t len = strcspn(text, " ");
        if (at > COLUMN && at + 1 + len > WIDTH) {
            fprintf(out, "\n%*s", COLUMN, "");
            at = COLUMN;
        } else if (at > COLUMN) {
            fputc(' ', out);
            at++;
        }
        fwrite(text, 1, len, out);
        at += len;
        text += len;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static void print_option(const cli_option *option, FILE *out) {
    strbuf left = {0};
    if (option->short_name != 0) {
        strbuf_appendf(&left, "  -%c, --%s", option->short_name, option->name);
    } else {
        strbuf_appendf(&left, "      --%s", option->name);
    }
    if (option->kind != OPTION_FLAG && option->argument != NULL) {
        strbuf_appendf(&left, " %s", option->argument);
    }
    fputs(strbuf_text(&left), out);
    if (left.len + 2 > COLUMN) {
        fprintf(out, "\n%*s", COLUMN, "");
    } else {
        fprintf(out, "%*s", (int)(COLUMN - left.len), "");
    }
    strbuf_done(&left);
    strbuf text = {0};
    strbuf_append(&text, option->help);
    if (option->choices != NULL) {
        for (size_t i = 0; option->choices[i] != NULL; i++) {
            strbuf_appendf(&text, "%s%s",
                i > 0           ? ", "
                : text.len == 0 ? ""
                                : ": ",
                option->choices[i]);
        }
    }
    if (option->matrix) {
        strbuf_append(&text, " [list]");
    }
    print_wrapped(strbuf_text(&text), COLUMN, out);
    strbuf_done(&text);
}

void option_print_help(const option_table *table, FILE *out) {
    const char *group = NULL;
    const char *printed = NULL;
    bool lists = false;
    for (size_t i = 0; i < table->count; i++) {
        const cli_option *option = &table->items[i];
        if (option->group != NULL) {
            group = option->group;
        }
        if ((option->commands & table->command) == 0 || option->help == NULL) {
            continue;
        }
        if (group != NULL && group != printed) {
            fprintf(out, "\n%s:\n", group);
            printed = group;
        }
        print_option(option, out);
        lists = lists || option->matrix;
    }
    fputs("\nGeneral:\n  -h, --help                  this text\n"
          "      --version               the version\n",
        out);
    if (lists) {
        fputs("\n[list]: several values, comma separated, give one measurement each.\n", out);
    }
}
