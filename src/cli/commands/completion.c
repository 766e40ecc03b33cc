/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dusk completion: print the completion script for a shell.
 *
 * The scripts are made from the tables of commands and options. The build installs them, so users do not need the
 * command, and dusk --help does not list it.
 */
#include <string.h>
#include "cli/cmdline/command.h"

static const struct option options[] = {{0}};

static bool takes_file(const struct option *o)
{
	return o->value && (!strcmp(o->value, "FILE") || !strcmp(o->value, "FOLDER"));
}

/* Are the arguments of this command files, or a command? */
static bool words_are_files(const struct command *c)
{
	return strstr(c->arguments, "FILE") || strstr(c->arguments, "BEFORE") || strstr(c->arguments, "COMMAND");
}

/* Write @text for use in single quotes, with a backslash before characters of @special. */
static void put_quoted(const char *text, const char *special)
{
	for (; *text; text++) {
		if (strchr(special, *text))
			putchar('\\');
		if (*text == '\'')
			fputs("'\\'", stdout);
		putchar(*text);
	}
}

static void put_choices(const struct option *o)
{
	const char *name;

	for (size_t i = 0; (name = o->choice(i)); i++)
		printf("%s%s", i ? " " : "", name);
}

static void put_commands(void)
{
	for (const struct command *const *c = commands; *c; c++)
		if (!(*c)->hidden)
			printf("%s ", (*c)->name);
	fputs("help", stdout);
}

/* Write the values of @o as a branch of a case. */
static void bash_value(const struct option *o)
{
	fputs("\t\t", stdout);
	if (o->letter)
		printf("-%c | ", o->letter);
	printf("--%s) ", o->name);
	if (o->choice) {
		fputs("values='", stdout);
		put_choices(o);
		printf("'%s ;;\n", o->kind == OPTION_TEXTS ? " list=yes" : "");
	} else {
		puts(takes_file(o) ? "return ;;" : "compopt +o default 2>/dev/null; return ;;");
	}
}

static void bash_command(const struct command *c)
{
	printf("\t%s)\n\t\toptions='", c->name);
	for (const struct option *o = c->options; o->name; o++) {
		if (o->letter)
			printf("-%c ", o->letter);
		printf("--%s ", o->name);
	}
	puts("-h --help'\n\t\tcase $before in");
	for (const struct option *o = c->options; o->name; o++)
		if (o->value)
			bash_value(o);
	puts("\t\tesac\n\t\t;;");
}

/* Bash splits words at '=', so that "--opt=value" comes as three words. */
static void bash(void)
{
	puts("# bash completion for dusk, made by 'dusk completion bash'\n"
	     "_dusk()\n"
	     "{\n"
	     "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
	     "\tlocal options= values= list= head=\n"
	     "\tCOMPREPLY=()\n"
	     "\tif [[ $word == = ]]; then\n"
	     "\t\tword=\n"
	     "\telif [[ $before == = ]]; then\n"
	     "\t\tbefore=${COMP_WORDS[COMP_CWORD - 2]}\n"
	     "\tfi\n"
	     "\tif ((COMP_CWORD == 1)) || { ((COMP_CWORD == 2)) && [[ ${COMP_WORDS[1]} == help ]]; }; then");
	fputs("\t\tCOMPREPLY=($(compgen -W '", stdout);
	put_commands();
	puts(" --help --version' -- \"$word\"))\n"
	     "\t\treturn\n"
	     "\tfi\n"
	     "\tcase ${COMP_WORDS[1]} in");
	for (const struct command *const *c = commands; *c; c++)
		if (!(*c)->hidden)
			bash_command(*c);
	puts("\tesac\n"
	     "\tif [[ $word == -* ]]; then\n"
	     "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
	     "\telif [[ $values ]]; then\n"
	     "\t\t[[ $list && $word == *,* ]] && head=${word%,*},\n"
	     "\t\tCOMPREPLY=($(compgen -P \"$head\" -W \"$values\" -- \"${word#\"$head\"}\"))\n"
	     "\tfi\n"
	     "}\n"
	     "complete -o bashdefault -o default -F _dusk dusk");
}

static void zsh_option(const struct option *o)
{
	bool flag = !o->value;

	fputs(" \\\n\t\t\t", stdout);
	if (o->letter)
		printf("'(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, o->name, o->letter, flag ? "" : "+", o->name,
		       flag ? "" : "=");
	else
		printf("'--%s%s[", o->name, flag ? "" : "=");
	put_quoted(o->help, "[]:\\");
	putchar(']');
	if (!flag) {
		fputs(o->kind == OPTION_CHOICE ? "::" : ":", stdout);
		put_quoted(o->value, "[]:\\");
		putchar(':');
		if (o->choice) {
			fputs(o->kind == OPTION_TEXTS ? "_values -s , value " : "(", stdout);
			put_choices(o);
			fputs(o->kind == OPTION_TEXTS ? "" : ")", stdout);
		} else if (takes_file(o)) {
			fputs("_files", stdout);
		}
	}
	putchar('\'');
}

static void zsh(void)
{
	puts("#compdef dusk\n"
	     "# zsh completion for dusk, made by 'dusk completion zsh'\n"
	     "_dusk() {\n"
	     "\tlocal -a commands=(");
	for (const struct command *const *c = commands; *c; c++)
		if (!(*c)->hidden) {
			printf("\t\t'%s:", (*c)->name);
			put_quoted((*c)->summary, ":\\");
			puts("'");
		}
	puts("\t\t'help:what a command does, and its options'\n"
	     "\t)\n"
	     "\tif (( CURRENT == 2 )) || [[ CURRENT -eq 3 && $words[2] == help ]]; then\n"
	     "\t\t_describe command commands\n"
	     "\t\treturn\n"
	     "\tfi\n"
	     "\tshift words\n"
	     "\t(( CURRENT-- ))\n"
	     "\tcase $words[1] in");
	for (const struct command *const *c = commands; *c; c++) {
		if ((*c)->hidden)
			continue;
		printf("\t%s)\n\t\t_arguments -s", (*c)->name);
		for (const struct option *o = (*c)->options; o->name; o++)
			zsh_option(o);
		printf(" \\\n\t\t\t'(-h --help)'{-h,--help}'[this text]'%s\n\t\t;;\n",
		       words_are_files(*c) ? " '*:file:_files'" : "");
	}
	puts("\tesac\n"
	     "}\n"
	     "_dusk \"$@\"");
}

static void fish_option(const struct command *c, const struct option *o)
{
	printf("complete -c dusk -n '__fish_seen_subcommand_from %s'", c->name);
	if (o->letter)
		printf(" -s %c", o->letter);
	printf(" -l %s", o->name);
	if (o->choice) {
		fputs(o->kind == OPTION_CHOICE ? " -f -a '" : " -x -a '", stdout);
		put_choices(o);
		putchar('\'');
	} else if (o->value) {
		fputs(takes_file(o) ? " -r -F" : " -x", stdout);
	}
	fputs(" -d '", stdout);
	put_quoted(o->help, "\\");
	puts("'");
}

static void fish(void)
{
	puts("# fish completion for dusk, made by 'dusk completion fish'\n"
	     "complete -c dusk -f\n"
	     "complete -c dusk -n __fish_use_subcommand -a help -d 'what a command does, and its options'");
	for (const struct command *const *c = commands; *c; c++) {
		if ((*c)->hidden)
			continue;
		printf("complete -c dusk -n __fish_use_subcommand -a %s -d '", (*c)->name);
		put_quoted((*c)->summary, "\\");
		puts("'");
		if (words_are_files(*c))
			printf("complete -c dusk -n '__fish_seen_subcommand_from %s' -F\n", (*c)->name);
		for (const struct option *o = (*c)->options; o->name; o++)
			fish_option(*c, o);
	}
}

static int run(const struct command *self, int argc, char **argv)
{
	const char *shell;
	size_t nr;
	int status;

	if (!command_words(self, argc, argv, NULL, &shell, 1, &nr, &status))
		return status;
	if (!nr)
		return say_usage(self, "for which shell: bash, zsh or fish?");
	if (!strcmp(shell, "bash"))
		bash();
	else if (!strcmp(shell, "zsh"))
		zsh();
	else if (!strcmp(shell, "fish"))
		fish();
	else
		return say_usage(self, "no completion for '%s'; there is one for bash, zsh and fish", shell);
	return STATUS_OK;
}

const struct command cmd_completion = {
	.name = "completion",
	.summary = "What can be typed next, for bash, zsh or fish",
	.arguments = "SHELL",
	.notes = "The build installs what this prints.\n",
	.hidden = true,
	.options = options,
	.run = run,
};
