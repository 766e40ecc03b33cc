/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Exceptions, each kind once: a program for single-stepping. */
#include <exception>
#include <stdexcept>
#include <string>

#define FN __attribute__((noipa))

static volatile long sink;

struct guard {
	std::string text;

	explicit guard(int depth) : text(std::to_string(depth) + ", and more than a string keeps in itself")
	{
	}
	FN ~guard()
	{
		sink += text.size();
	}
};

FN static void descend(int depth)
{
	guard g(depth);

	if (depth <= 1)
		throw std::runtime_error("the bottom");
	descend(depth - 1);
	sink += depth;
}

FN static void again(void)
{
	try {
		descend(2);
	} catch (const std::exception &e) {
		sink += e.what()[0];
		throw;
	}
}

FN static void other(void)
{
	try {
		throw 42;
	} catch (int n) {
		sink += n;
	}
}

int main(void)
{
	for (int i = 0; i < 2; i++) {
		try {
			again();
		} catch (const std::runtime_error &e) {
			sink += e.what()[1];
		}
		other();
	}
	return 0;
}
