-- SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
-- Traces of LuaJIT, its interpreter, and its library.
local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
while true do
	fib(24)
	local t = {}
	for i = 1, 20000 do t[i] = tostring(i * 7919 % 20011) end
	table.sort(t)
	local s = ("some words to pack "):rep(2000):gsub("(%w+) (%w+)", "%2 %1")
	local n = 0
	for i = 1, 1e6 do n = n + i % 7 end
end
