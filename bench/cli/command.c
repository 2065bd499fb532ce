/* What all commands share: parsing, help, version, trouble; see command.h. */
#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/settings.h"
#include "util/strbuf.h"

static const char *space_before(const char *text) {
    return text[0] == '\0' ? "" : " ";
}

int cli_trouble(const cli_command *command, const char *sentence) {
    fprintf(stderr, "rclbench%s%s: %s\n", space_before(command->name), command->name, sentence);
    return CLI_TROUBLE;
}

int cli_usage_trouble(const cli_command *command, char *sentence) {
    cli_trouble(command, sentence);
    fprintf(stderr, "Try 'rclbench%s%s --help'.\n", space_before(command->name), command->name);
    free(sentence);
    return CLI_TROUBLE;
}

static void print_version(void) {
    puts("rclbench " RCLBENCH_VERSION);
}

static void print_help(const cli_command *command, const option_table *table) {
    printf("Usage: rclbench%s%s [options]%s%s\n\n%s\n", space_before(command->name), command->name,
        space_before(command->operands), command->operands, command->summary);
    if (command->more != NULL) {
        printf("\n%s", command->more);
    }
    option_print_help(table, stdout);
    fputs("\nExit status: 0 good, 1 a criterion or comparison failed, 2 trouble: wrong usage,\n"
          "or not all of it could be measured (also after Ctrl-C, which reports what was).\n",
        stdout);
}

int cli_dispatch(const cli_command *command, int argc, char *const *argv) {
    option_table table = cli_option_table(command->options);
    option_line line;
    char *error = NULL;
    if (!option_parse(&table, argc, argv, &line, &error)) {
        return cli_usage_trouble(command, error);
    }
    int status;
    int operands = (int)line.operands.count;
    if (line.help) {
        print_help(command, &table);
        status = CLI_GOOD;
    } else if (line.version) {
        print_version();
        status = CLI_GOOD;
    } else if (operands > command->operands_max) {
        strbuf text = {0};
        strbuf_appendf(
            &text, "'%s' is one word too many", line.operands.items[command->operands_max]);
        status = cli_usage_trouble(command, strbuf_take(&text));
    } else if (operands < command->operands_min) {
        strbuf text = {0};
        strbuf_appendf(&text, "%s is missing", command->operands);
        status = cli_usage_trouble(command, strbuf_take(&text));
    } else {
        status = command->run(command, &line);
    }
    option_line_done(&line);
    return status;
}

char *cli_command_line(void) {
    strbuf text = {0};
    FILE *file = fopen("/proc/self/cmdline", "re");
    int c;
    int last = '\0';
    while (file != NULL && (c = fgetc(file)) != EOF) {
        if (last == '\0' && text.len > 0) {
            strbuf_append_char(&text, ' ');
        }
        if (c != '\0') {
            strbuf_append_char(&text, (char)c);
        }
        last = c;
    }
    if (file != NULL) {
        fclose(file);
    }
    return strbuf_take(&text);
}
