// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

// A goroutine in which a function within a function calls a method. usage: goroutines MILLISECONDS
package main

import (
	"os"
	"strconv"
	"time"
)

var sink uint64

//go:noinline
func spin_here(n uint64) uint64 {
	x := n
	for i := 0; i < 200000; i++ {
		x = x*6364136223846793005 + 1
	}
	sink = x
	return x
}

type Worker struct{ name string }

//go:noinline
func (w *Worker) Run(n uint64) uint64 { r := spin_here(n); sink += r; return r }

//go:noinline
func outer(n uint64) uint64 {
	w := &Worker{"x"}
	f := func() uint64 { return w.Run(n) + 1 }
	return f() + 1
}

func work(end time.Time, done chan bool) {
	for time.Now().Before(end) {
		sink += outer(sink)
	}
	done <- true
}

func main() {
	ms, _ := strconv.Atoi(os.Args[1])
	done := make(chan bool)
	go work(time.Now().Add(time.Duration(ms)*time.Millisecond), done)
	<-done
}
