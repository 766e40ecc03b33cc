// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A fiber of D's in which a method of a class calls one of a template. usage: fibers MILLISECONDS
import core.thread.fiber, core.time, std.conv;

__gshared ulong sink;

pragma(inline, false) ulong spin(ulong n)
{
	ulong x = n;

	foreach (i; 0 .. 200_000)
		x = x * 6364136223846793005UL + 1;
	sink = x;
	return x;
}

struct Worker(T)
{
	pragma(inline, false) ulong run(ulong n)
	{
		return spin(n) + 1;
	}
}

class Shop
{
	pragma(inline, false) ulong order(ulong n)
	{
		Worker!int w;

		return w.run(n) + 1;
	}
}

void sell()
{
	auto shop = new Shop;

	while (true) {
		sink += shop.order(sink);
		Fiber.yield();
	}
}

void main(string[] args)
{
	auto fiber = new Fiber(&sell);
	auto end = MonoTime.currTime + args[1].to!int.msecs;

	while (MonoTime.currTime < end)
		fiber.call();
}
