# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The interpreter, blocks, and regular expressions.
def fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)
loop do
  fib(20)
  t = (0...20000).map { |i| "x#{i * 7919 % 20011}" }
  t.sort_by { |s| s.reverse }
  ("some words to pack " * 2000).gsub(/(\w+) (\w+)/, '\2 \1')
end
