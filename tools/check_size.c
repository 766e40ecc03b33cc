/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Do the programs of a linked BPF object fit the verifier's stack?
 *
 * A chain of calls may have 8 frames, and 512 bytes of stack in all, each frame rounded up to 16. The verifier refuses
 * what goes beyond, but does not say which chain it was. This reads the object before the kernel does, and prints for
 * each program its deepest chain and the one with the most stack.
 *
 * What begins a chain: a program, and a function whose address goes to a kernel function (task work, a timer), since
 * the kernel calls that one later, on a stack of its own. The body of bpf_loop() and its like, on the other hand, is
 * one more frame of its caller. Which of the two an address is for shows in the next call of the instructions that
 * follow: a helper, known by number, or a kernel function, which is an undefined symbol.
 *
 * Chains are an upper bound: the verifier ignores code that it can prove dead, this does not.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <getopt.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FRAME_ALIGN 16
#define NONE ((size_t)-1)

enum edge_kind { EDGE_CALL, EDGE_ADDRESS, EDGE_LATER };

struct edge {
	size_t callee;
	enum edge_kind kind; /* EDGE_ADDRESS: not known yet what the address is for */
};

enum progress { UNSEEN, ON_PATH, MEASURED };

struct function {
	const char *name;
	size_t section;
	uint64_t start, end; /* bytes in the section */
	bool begins_chain;
	unsigned int own_bytes;
	struct edge *edges;
	size_t nr_edges;

	enum progress progress;
	unsigned int frames, bytes; /* of the deepest and the greediest chain from here */
	size_t deepest, greediest;  /* where they go on */
};

struct object {
	const char *path;
	int fd;
	Elf *elf;
	Elf_Data *symbols;
	size_t strings, nr_symbols, nr_sections;
	uint32_t **relocated; /* per section and instruction: symbol number + 1 */
	struct function *functions;
	size_t nr_functions;
};

struct limits {
	unsigned int frames, bytes;
};

static void *grow(void *array, size_t nr, size_t size)
{
	void *ret = reallocarray(array, nr, size);

	if (!ret)
		err(1, NULL);
	return ret;
}

static bool is_code(const struct object *o, size_t section, GElf_Shdr *ret)
{
	Elf_Scn *scn = elf_getscn(o->elf, section);

	return scn && gelf_getshdr(scn, ret) && ret->sh_type == SHT_PROGBITS && ret->sh_flags & SHF_EXECINSTR;
}

static const struct bpf_insn *code_of(const struct object *o, size_t section)
{
	Elf_Data *data = elf_getdata(elf_getscn(o->elf, section), NULL);

	if (!data || !data->d_buf)
		errx(1, "%s: section %zu cannot be read: %s", o->path, section, elf_errmsg(-1));
	return data->d_buf;
}

static void add_function(struct object *o, const GElf_Sym *sym)
{
	GElf_Shdr section;
	const char *name;

	if (GELF_ST_TYPE(sym->st_info) != STT_FUNC || !is_code(o, sym->st_shndx, &section))
		return;
	if (sym->st_value % sizeof(struct bpf_insn) || sym->st_value > section.sh_size ||
	    sym->st_size > section.sh_size - sym->st_value)
		errx(1, "%s: a function lies outside its section: damaged object", o->path);

	name = elf_strptr(o->elf, o->strings, sym->st_name);
	o->functions = grow(o->functions, o->nr_functions + 1, sizeof(*o->functions));
	o->functions[o->nr_functions++] = (struct function){
		.name = name ? name : "?",
		.section = sym->st_shndx,
		.start = sym->st_value,
		.end = sym->st_value + sym->st_size,
		.deepest = NONE,
		.greediest = NONE,
	};
}

/* libbpf's convention: programs have sections of their own, what they call is in .text. */
static void mark_programs(struct object *o)
{
	size_t names;

	if (elf_getshdrstrndx(o->elf, &names))
		errx(1, "%s: %s", o->path, elf_errmsg(-1));
	for (size_t i = 0; i < o->nr_functions; i++) {
		GElf_Shdr section;

		gelf_getshdr(elf_getscn(o->elf, o->functions[i].section), &section);
		o->functions[i].begins_chain = strcmp(elf_strptr(o->elf, names, section.sh_name), ".text");
	}
}

static void read_relocations(struct object *o, Elf_Scn *scn, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	uint32_t **map = &o->relocated[header->sh_info];
	GElf_Shdr code;
	GElf_Rel rel;

	if (!data || !is_code(o, header->sh_info, &code))
		return;
	if (!*map)
		*map = calloc(code.sh_size / sizeof(struct bpf_insn) + 1, sizeof(**map));
	if (!*map)
		err(1, NULL);
	for (int i = 0; gelf_getrel(data, i, &rel); i++)
		if (rel.r_offset < code.sh_size)
			(*map)[rel.r_offset / sizeof(struct bpf_insn)] = GELF_R_SYM(rel.r_info) + 1;
}

static void object_open(struct object *o, const char *path)
{
	GElf_Shdr header;
	GElf_Ehdr ehdr;
	GElf_Sym sym;

	*o = (struct object){.path = path, .fd = open(path, O_RDONLY | O_CLOEXEC)};
	if (o->fd < 0)
		err(1, "%s", path);
	o->elf = elf_begin(o->fd, ELF_C_READ, NULL);
	if (!o->elf || !gelf_getehdr(o->elf, &ehdr) || ehdr.e_machine != EM_BPF)
		errx(1, "%s: not a BPF object", path);
	if (elf_getshdrnum(o->elf, &o->nr_sections))
		errx(1, "%s: %s", path, elf_errmsg(-1));
	o->relocated = calloc(o->nr_sections, sizeof(*o->relocated));
	if (!o->relocated)
		err(1, NULL);

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(o->elf, scn)) && gelf_getshdr(scn, &header);) {
		if (header.sh_type == SHT_SYMTAB) {
			o->symbols = elf_getdata(scn, NULL);
			o->strings = header.sh_link;
		} else if (header.sh_type == SHT_REL && header.sh_info < o->nr_sections) {
			read_relocations(o, scn, &header);
		}
	}
	for (int i = 0; o->symbols && gelf_getsym(o->symbols, i, &sym); i++)
		add_function(o, &sym);
	if (!o->nr_functions)
		errx(1, "%s: no functions: is this a linked BPF object?", path);
	mark_programs(o);
}

static void object_close(struct object *o)
{
	for (size_t i = 0; i < o->nr_functions; i++)
		free(o->functions[i].edges);
	for (size_t i = 0; i < o->nr_sections; i++)
		free(o->relocated[i]);
	free(o->relocated);
	free(o->functions);
	elf_end(o->elf);
	close(o->fd);
}

static size_t function_at(const struct object *o, size_t section, uint64_t offset)
{
	for (size_t i = 0; i < o->nr_functions; i++)
		if (o->functions[i].section == section && o->functions[i].start == offset)
			return i;
	return NONE;
}

static void add_edge(struct function *f, size_t callee, enum edge_kind kind)
{
	f->edges = grow(f->edges, f->nr_edges + 1, sizeof(*f->edges));
	f->edges[f->nr_edges++] = (struct edge){callee, kind};
}

/* The symbol that instruction @i refers to. */
static bool symbol_of(const struct object *o, const struct function *f, size_t i, GElf_Sym *ret)
{
	const uint32_t *map = o->relocated[f->section];

	return map && map[i] && gelf_getsym(o->symbols, map[i] - 1, ret);
}

/* What the addresses loaded since the last call are for. */
static void settle_addresses(struct object *o, struct function *f, bool by_kernel_function)
{
	for (size_t i = 0; i < f->nr_edges; i++) {
		if (f->edges[i].kind != EDGE_ADDRESS)
			continue;
		f->edges[i].kind = by_kernel_function ? EDGE_LATER : EDGE_CALL;
		if (by_kernel_function)
			o->functions[f->edges[i].callee].begins_chain = true;
	}
}

static void read_call(struct object *o, struct function *f, const struct bpf_insn *insn, size_t i)
{
	size_t section = f->section;
	uint64_t target = i * sizeof(*insn);
	bool own = insn->src_reg == BPF_PSEUDO_CALL, by_kernel_function = false;
	size_t callee;
	GElf_Sym sym;

	if (own && symbol_of(o, f, i, &sym)) {
		by_kernel_function = sym.st_shndx == SHN_UNDEF;
		section = sym.st_shndx;
		target = sym.st_value;
	}
	settle_addresses(o, f, by_kernel_function);
	if (!own || by_kernel_function)
		return;
	callee = function_at(o, section, target + ((int64_t)insn->imm + 1) * (int64_t)sizeof(*insn));
	if (callee == NONE)
		errx(1, "%s: %s calls what is not a function: damaged object", o->path, f->name);
	add_edge(f, callee, EDGE_CALL);
}

static void need_stack(struct function *f, int64_t offset)
{
	if (offset < 0 && -offset > f->own_bytes)
		f->own_bytes = -offset;
}

/* Follow what is made of the frame pointer, r10, within straight code: as far as compilers go. */
static void read_stack_use(struct function *f, const struct bpf_insn *insn, bool is_stack[16], int64_t offset[16])
{
	unsigned int class = BPF_CLASS(insn->code), dst = insn->dst_reg, src = insn->src_reg;

	if (class == BPF_LDX && is_stack[src])
		need_stack(f, offset[src] + insn->off);
	if ((class == BPF_ST || class == BPF_STX) && is_stack[dst])
		need_stack(f, offset[dst] + insn->off);

	if (insn->code == (BPF_ALU64 | BPF_MOV | BPF_X)) {
		is_stack[dst] = is_stack[src];
		offset[dst] = offset[src];
	} else if (insn->code == (BPF_ALU64 | BPF_ADD | BPF_K) && is_stack[dst]) {
		offset[dst] += insn->imm;
		need_stack(f, offset[dst]);
	} else if (class == BPF_LD || class == BPF_LDX || class == BPF_ALU || class == BPF_ALU64) {
		is_stack[dst] = false;
	}
}

static void function_read(struct object *o, struct function *f)
{
	const struct bpf_insn *insns = code_of(o, f->section);
	bool is_stack[16] = {[BPF_REG_10] = true};
	int64_t offset[16] = {0};

	for (size_t i = f->start / sizeof(*insns); i < f->end / sizeof(*insns); i++) {
		const struct bpf_insn *insn = &insns[i];
		GElf_Sym sym;
		size_t callee;

		read_stack_use(f, insn, is_stack, offset);
		if (insn->code == (BPF_JMP | BPF_CALL)) {
			read_call(o, f, insn, i);
		} else if (insn->code == (BPF_LD | BPF_IMM | BPF_DW)) {
			if (symbol_of(o, f, i, &sym)) {
				callee = function_at(o, sym.st_shndx, sym.st_value + insn->imm);
				if (callee != NONE)
					add_edge(f, callee, EDGE_ADDRESS);
			}
			i++; /* two instructions wide */
		}
	}
	settle_addresses(o, f, false);
}

static void measure(struct object *o, size_t at)
{
	struct function *f = &o->functions[at];
	unsigned int deepest = 0, greediest = 0;

	if (f->progress == MEASURED)
		return;
	if (f->progress == ON_PATH)
		errx(1, "%s: %s calls itself, perhaps by way of others", o->path, f->name);
	f->progress = ON_PATH;
	for (size_t i = 0; i < f->nr_edges; i++) {
		const struct function *callee = &o->functions[f->edges[i].callee];

		if (f->edges[i].kind == EDGE_LATER)
			continue;
		measure(o, f->edges[i].callee);
		if (callee->frames > deepest) {
			deepest = callee->frames;
			f->deepest = f->edges[i].callee;
		}
		if (callee->bytes > greediest) {
			greediest = callee->bytes;
			f->greediest = f->edges[i].callee;
		}
	}
	f->frames = deepest + 1;
	f->bytes = greediest + (f->own_bytes + FRAME_ALIGN - 1) / FRAME_ALIGN * FRAME_ALIGN;
	f->progress = MEASURED;
}

static bool report(const struct object *o, const struct function *f, const struct limits *max)
{
	bool fits = f->frames <= max->frames && f->bytes <= max->bytes;

	printf("%s: %u of %u frames, %u of %u bytes%s\n", f->name, f->frames, max->frames, f->bytes, max->bytes,
	       fits ? "" : ": TOO MUCH");
	printf("  deepest: %s", f->name);
	for (size_t i = f->deepest; i != NONE; i = o->functions[i].deepest)
		printf(" > %s", o->functions[i].name);
	printf("\n  most stack: %s %u", f->name, f->own_bytes);
	for (size_t i = f->greediest; i != NONE; i = o->functions[i].greediest)
		printf(" > %s %u", o->functions[i].name, o->functions[i].own_bytes);
	printf("\n");
	return fits;
}

static bool check(const char *path, const struct limits *max)
{
	struct object o;
	bool fits = true;

	object_open(&o, path);
	for (size_t i = 0; i < o.nr_functions; i++)
		function_read(&o, &o.functions[i]);
	for (size_t i = 0; i < o.nr_functions; i++) {
		if (!o.functions[i].begins_chain)
			continue;
		measure(&o, i);
		fits = report(&o, &o.functions[i], max) && fits;
	}
	object_close(&o);
	return fits;
}

static unsigned int number(const char *text)
{
	char *end;
	unsigned long ret;

	errno = 0;
	ret = strtoul(text, &end, 10);
	if (errno || !*text || *end || !ret || ret > 4096)
		errx(2, "%s: a limit is a number from 1 to 4096", text);
	return ret;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"frames", required_argument, NULL, 'f'}, {"bytes", required_argument, NULL, 'b'}, {0}};
	struct limits max = {.frames = 8, .bytes = 512};
	bool fits = true;
	int opt;

	while ((opt = getopt_long(argc, argv, "f:b:", options, NULL)) != -1) {
		if (opt == 'f')
			max.frames = number(optarg);
		else if (opt == 'b')
			max.bytes = number(optarg);
		else
			return 2;
	}
	if (optind == argc)
		errx(2, "usage: check-size [--frames N] [--bytes N] OBJECT...");
	if (elf_version(EV_CURRENT) == EV_NONE)
		errx(1, "libelf: %s", elf_errmsg(-1));
	for (; optind < argc; optind++)
		fits = check(argv[optind], &max) && fits;
	return fits ? 0 : 1;
}
