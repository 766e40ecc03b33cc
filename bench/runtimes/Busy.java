// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Calls, lambdas, streams and collections: interpreted first, then compiled.
import java.util.*;

public class Busy {
	interface Shape { double area(); }
	record Square(double side) implements Shape { public double area() { return side * side; } }
	record Circle(double radius) implements Shape { public double area() { return radius * radius * Math.PI; } }

	static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

	static double sum(List<Shape> shapes) {
		return shapes.stream().mapToDouble(Shape::area).filter(a -> a > 1).sum();
	}

	public static void main(String[] args) {
		for (;;) {
			Map<String, Integer> words = new HashMap<>();
			List<Shape> shapes = new ArrayList<>();
			for (int i = 0; i < 20000; i++) {
				words.merge("word" + i % 997, 1, Integer::sum);
				shapes.add(i % 2 == 0 ? new Square(i) : new Circle(i));
			}
			List<String> sorted = new ArrayList<>(words.keySet());
			Collections.sort(sorted, (a, b) -> b.compareTo(a));
			if (fib(24) + sum(shapes) + sorted.size() == 0)
				System.out.println("never");
		}
	}
}
