/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program whose functions are inlined into each other in ways that are known, for test_inline.c. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define INLINE inline __attribute__((always_inline))

namespace shapes {
struct point {
	int x, y;

	INLINE int norm() const
	{
		return x * x + y * y;
	}
};

template <typename T> INLINE T mix(T a, T b)
{
	point p = {static_cast<int>(a), static_cast<int>(b)};

	return p.norm() * 31 + a % (b | 1);
}
}

static INLINE int middle(int x)
{
	int sum = 0;

	for (int i = 0; i < x; i++)
		sum += shapes::mix<long>(i, x) + shapes::mix<int>(x, i);
	return sum;
}

extern "C" __attribute__((noinline)) int fixture_outer(int x)
{
	return middle(x) + middle(x + 3) * 5;
}

extern "C" __attribute__((noinline)) int fixture_sort(int n)
{
	std::vector<int> v;

	for (int i = 0; i < n; i++)
		v.push_back(fixture_outer(i) ^ rand());
	std::sort(v.begin(), v.end(), [](int a, int b) { return shapes::mix<int>(a, 7) < shapes::mix<int>(b, 7); });
	return v.empty() ? 0 : v[v.size() / 2];
}

int main(int argc, char **argv)
{
	printf("%d\n", fixture_sort(argc > 1 ? atoi(argv[1]) : 100));
	return 0;
}
