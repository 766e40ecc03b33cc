// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Goroutines that grow their stacks, allocate, sort, wait and look at the clock: all that the runtime goes over to its own stack for.
package main

import (
	"fmt"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"
)

type node struct {
	next *node
	text string
}

//go:noinline
func grow(depth int) int {
	var room [256]int
	room[depth&255] = depth
	if depth == 0 {
		return room[0]
	}
	return grow(depth-1) + room[depth&255]
}

//go:noinline
func allocate(n int) *node {
	var head *node
	for i := 0; i < n; i++ {
		head = &node{head, strings.Repeat("x", i%100)}
	}
	return head
}

//go:noinline
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func work(c chan int) {
	words := map[string]int{}
	for start := time.Now(); time.Since(start) < time.Millisecond; {
	}
	for i := 0; i < 20000; i++ {
		words[fmt.Sprint(i%997)]++
	}
	keys := make([]string, 0, len(words))
	for k := range words {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	c <- fib(22) + grow(200) + len(allocate(20000).text)
}

func main() {
	for {
		var wait sync.WaitGroup
		c := make(chan int, 8)
		for i := 0; i < 8; i++ {
			wait.Add(1)
			go func() { defer wait.Done(); work(c) }()
		}
		wait.Wait()
		runtime.Gosched()
	}
}
