/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Exceptions, thrown through 20 frames that have something to destroy. */
#include <stdexcept>
#include <string>
#include "victim.h"

volatile unsigned long sink;

struct guard {
	std::string text;

	explicit guard(int depth) : text(std::to_string(depth) + ", and more than a string keeps in itself")
	{
	}
	~guard()
	{
		sink += text.size();
	}
};

KNOWN void descend(int depth)
{
	guard g(depth);

	if (depth <= 1)
		throw std::runtime_error("the bottom");
	descend(depth - 1);
	sink += depth;
}

KNOWN void attempt(void)
{
	try {
		descend(20);
	} catch (const std::runtime_error &e) {
		sink += e.what()[0];
		BURN(2000);
	}
	sink++;
}

int main(void)
{
	say_ready();
	for (;;)
		attempt();
}
