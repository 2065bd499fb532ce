/* Writes what is generated from the tables of commands and options: `manual man FILE` the
 * manual page, `manual bash FILE` the completion for bash. A program of the build, not installed;
 * there is no second list of options to keep. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/settings.h"

/* ---- the manual page ---- */

/* Text as roff wants it: no escape, no request at the beginning of a line, dashes as typed. */
static void put_text(const char *text) {
    for (const char *at = text; *at != '\0'; at++) {
        bool begins = at == text || at[-1] == '\n';
        if (begins && (*at == '.' || *at == '\'')) {
            fputs("\\&", stdout);
        }
        if (*at == '\\') {
            fputs("\\e", stdout);
        } else if (*at == '-') {
            fputs("\\-", stdout);
        } else {
            fputc(*at, stdout);
        }
    }
}

static void put_line(const char *text) {
    put_text(text);
    fputc('\n', stdout);
}

static void put_option_head(const cli_option *option) {
    fputs(".TP\n", stdout);
    if (option->short_name != 0) {
        printf("\\fB\\-%c\\fR, ", option->short_name);
    }
    fputs("\\fB\\-\\-", stdout);
    put_text(option->name);
    fputs("\\fR", stdout);
    if (option->kind != OPTION_FLAG && option->argument != NULL) {
        fputs(" \\fI", stdout);
        put_text(option->argument);
        fputs("\\fR", stdout);
    }
    fputc('\n', stdout);
}

static void put_choices(const cli_option *option) {
    for (size_t i = 0; option->choices != NULL && option->choices[i] != NULL; i++) {
        fputs(i == 0 ? "One of " : ", ", stdout);
        put_text(option->choices[i]);
    }
    fputs(option->choices == NULL ? "" : ".\n", stdout);
}

static void put_commands_of(const cli_option *option) {
    bool first = true;
    fputs("For ", stdout);
    if (option->commands & CLI_DEFAULT) {
        fputs("rclbench itself", stdout);
        first = false;
    }
    for (size_t i = 0; i < cli_command_count; i++) {
        if (option->commands & cli_commands[i].options) {
            printf("%s%s", first ? "" : ", ", cli_commands[i].name);
            first = false;
        }
    }
    fputs(".\n", stdout);
}

static void put_options(void) {
    for (size_t i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_options[i];
        if (option->help == NULL) {
            continue;
        }
        if (option->group != NULL) {
            fputs(".SS ", stdout);
            put_line(option->group);
        }
        put_option_head(option);
        if (option->help[0] != '\0') {
            put_text(option->help);
            fputs(".\n", stdout);
        }
        put_choices(option);
        if (option->matrix) {
            fputs("Several values, comma separated, give one measurement each.\n", stdout);
        }
        put_commands_of(option);
    }
    fputs(".SS General\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nHelp on a command.\n"
          ".TP\n\\fB\\-\\-version\\fR\nThe version.\n",
        stdout);
}

/* What a command's --help says beyond its options. */
static void put_more(void) {
    for (size_t i = 0; i < cli_command_count; i++) {
        if (cli_commands[i].more != NULL) {
            printf(".SS rclbench %s %s\n.nf\n", cli_commands[i].name, cli_commands[i].operands);
            put_text(cli_commands[i].more);
            fputs(".fi\n", stdout);
        }
    }
}

static const char environment[] =
    ".SH ENVIRONMENT\n"
    "Both sides of a measurement run on loopback in a DDS domain of their own and with a private\n"
    "ROS 1 master, whatever is set. With \\fB\\-\\-only\\fR one side obeys ROS_DOMAIN_ID,\n"
    "ROS_AUTOMATIC_DISCOVERY_RANGE, CYCLONEDDS_URI and ROS_MASTER_URI.\n"
    ".TP\nRMW_IMPLEMENTATION\nWhat libraries of a ROS 2 installation go over"
    " (rmw_cyclonedds_cpp).\n"
    ".TP\nFASTRTPS_DEFAULT_PROFILES_FILE, FASTDDS_DEFAULT_PROFILES_FILE\n"
    "Profiles of your own for Fast DDS; without them rclbench keeps it on loopback.\n"
    ".TP\nAMENT_PREFIX_PATH\nA sourced ROS 2; without it the newest below /opt/ros is taken.\n"
    ".TP\nRCLBENCH_PEER_PATH\nFolders in which to look for peers too, separated by colons.\n"
    ".TP\nTMPDIR\nWhere the temporary folder of a run is made (/tmp).\n"
    ".SH EXIT STATUS\n0 good; 1 a criterion or comparison failed; 2 trouble: wrong usage, or not\n"
    "all of it could be measured.\n"
    ".SH SEE ALSO\n"
    "publisher\\-stress\\-test(1), subscription\\-stress\\-test(1), client\\-stress\\-test(1),\n"
    "service\\-stress\\-test(1), roundtrip_client(1), roundtrip_server(1)\n";

static void write_man(void) {
    fputs(".\\\" Generated from the tables of commands and options.\n"
          ".TH RCLBENCH 1 \"\" \"rclbench " RCLBENCH_VERSION "\" \"\"\n"
          ".SH NAME\nrclbench \\- measures ROS client libraries\n.SH SYNOPSIS\n"
          "\\fBrclbench\\fR [\\fIoptions\\fR]\n",
        stdout);
    for (size_t i = 0; i < cli_command_count; i++) {
        printf(".br\n\\fBrclbench %s\\fR [\\fIoptions\\fR] \\fI", cli_commands[i].name);
        put_text(cli_commands[i].operands);
        fputs("\\fR\n", stdout);
    }
    fputs(".SH DESCRIPTION\n", stdout);
    put_line(cli_default_command.summary);
    fputs("Results go to standard output, progress to standard error.\n.SH COMMANDS\n", stdout);
    for (size_t i = 0; i < cli_command_count; i++) {
        printf(".TP\n\\fB%s\\fR\n", cli_commands[i].name);
        put_line(cli_commands[i].summary);
    }
    put_more();
    fputs(".SH OPTIONS\n", stdout);
    put_options();
    fputs(environment, stdout);
}

/* ---- the completion ---- */

static void put_option_words(unsigned command) {
    for (size_t i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_options[i];
        if ((option->commands & command) != 0 && option->help != NULL) {
            printf("--%s ", option->name);
        }
    }
}

/* The values of options that take one of a few words; those of --only depend on the command. */
static void put_choice_words(const cli_command *command) {
    for (size_t i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_options[i];
        if ((option->commands & command->options) == 0 || option->choices == NULL) {
            continue;
        }
        printf("        %s:--%s) words='", command->name, option->name);
        for (size_t k = 0; option->choices[k] != NULL; k++) {
            printf("%s%s", k == 0 ? "" : " ", option->choices[k]);
        }
        fputs("' ;;\n", stdout);
    }
}

static void write_bash(void) {
    fputs("# Completion of rclbench for bash, generated from the tables of commands and options.\n"
          "# In zsh: autoload -U compinit bashcompinit; compinit; bashcompinit; source this file.\n"
          "_rclbench() {\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local command= words=\n"
          "    case ${COMP_WORDS[1]} in -*) ;; *) [ \"$COMP_CWORD\" -eq 1 ] || "
          "command=${COMP_WORDS[1]} ;; esac\n"
          "    case $command:$before in\n",
        stdout);
    put_choice_words(&cli_default_command);
    for (size_t i = 0; i < cli_command_count; i++) {
        put_choice_words(&cli_commands[i]);
    }
    fputs("    esac\n"
          "    if [ -z \"$words\" ]; then\n"
          "        case $command:$current in\n",
        stdout);
    fputs("        :-*) words='--help --version ", stdout);
    put_option_words(CLI_DEFAULT);
    fputs("' ;;\n", stdout);
    for (size_t i = 0; i < cli_command_count; i++) {
        printf("        %s:-*) words='--help --version ", cli_commands[i].name);
        put_option_words(cli_commands[i].options);
        fputs("' ;;\n", stdout);
    }
    fputs("        :*) [ \"$COMP_CWORD\" -ne 1 ] || words='", stdout);
    for (size_t i = 0; i < cli_command_count; i++) {
        printf("%s%s", i == 0 ? "" : " ", cli_commands[i].name);
    }
    fputs("' ;;\n"
          "        esac\n"
          "    fi\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
          "}\n"
          "complete -o default -F _rclbench rclbench\n",
        stdout);
}

int main(int argc, char **argv) {
    bool man = argc == 3 && strcmp(argv[1], "man") == 0;
    if (!man && (argc != 3 || strcmp(argv[1], "bash") != 0)) {
        fputs("usage: manual man|bash FILE\n", stderr);
        return 2;
    }
    if (freopen(argv[2], "w", stdout) == NULL) {
        perror(argv[2]);
        return 2;
    }
    if (man) {
        write_man();
    } else {
        write_bash();
    }
    return fflush(stdout) == 0 && ferror(stdout) == 0 ? 0 : 1;
}
