/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls of all kinds, in code that is interpreted at first and compiled later. Some yield the CPU, which is a system call, and
 * write what the runtime says the stack is: a line of thread, and of class, method, file and line of each frame.
 *
 * usage: java Stacks.java LOG STACKS, so many of each thread
 */
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.Callable;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

public class Stacks {
	interface Shape {
		double area(int n);
	}

	static final class Square implements Shape {
		public double area(int n) { return leaf(n) * 2; }
	}

	static final class Circle implements Shape {
		public double area(int n) { return leaf(n) * 3.14; }
	}

	record Triangle(int side) implements Shape {
		public double area(int n) { return leaf(n) * side; }
	}

	static final class Later {
		static final double value = inInitializer(); /* runs when the class is used first */

		static double inInitializer() { return leaf(7); }
	}

	static final class Tracer {
		static final int OF_CALLS = 997;
		final PrintWriter log;
		int calls;

		Tracer(PrintWriter log) { this.log = log; }

		/* One of many: most of the time is to be spent in compiled code. */
		void look()
		{
			if (++calls % OF_CALLS != 0)
				return;
			StringBuilder line = new StringBuilder(Thread.currentThread().getName());
			for (StackTraceElement e : new Throwable().getStackTrace())
				line.append('\t').append(e.getClassName()).append('|').append(e.getMethodName()).append('|').append(e.getFileName())
					.append('|').append(e.getLineNumber());
			synchronized (log) {
				log.println(line);
			}
			Thread.yield();
		}
	}

	static final ThreadLocal<Tracer> tracer = new ThreadLocal<>();
	static volatile double sink;

	static double leaf(int n)
	{
		double sum = 0;
		for (int i = 0; i < 3; i++)
			sum += Math.sqrt(i) * (i ^ n);
		tracer.get().look();
		return sum;
	}

	static double inlined(int n) { return inlinedToo(n) + 1; }

	static double inlinedToo(int n) {
		return leaf(n)
			+ leaf(n + 1);
	}

	static double recursion(int depth, Shape[] shapes, int n)
	{
		if (depth > 0)
			return recursion(depth - 1, shapes, n) + 1;
		double sum = 0;
		for (Shape s : shapes)
			sum += s.area(n);
		return sum + inlined(n);
	}

	static double sorted(int n)
	{
		Integer[] a = new Integer[n];
		for (int i = 0; i < n; i++)
			a[i] = i * 7919 % n;
		Arrays.sort(a, (x, y) -> {
			leaf(x);
			return x - y;
		});
		Arrays.sort(a, new Comparator<Integer>() {
			public int compare(Integer x, Integer y)
			{
				leaf(y);
				return y - x;
			}
		});
		return a[0];
	}

	static double streamed(int n)
	{
		IntUnaryOperator twice = x -> (int)leaf(x);
		return IntStream.range(0, n).map(twice).filter(x -> x >= 0).mapToDouble(Stacks::leaf).sum();
	}

	static double reflected(int n) throws Exception
	{
		return (Double)Stacks.class.getDeclaredMethod("leaf", int.class).invoke(null, n);
	}

	static double thrown(int depth)
	{
		try {
			return thrower(depth);
		} catch (IllegalStateException e) {
			return leaf(depth);
		} finally {
			leaf(depth + 1);
		}
	}

	static double thrower(int depth)
	{
		if (depth == 0)
			throw new IllegalStateException();
		return thrower(depth - 1);
	}

	static synchronized double locked(int n) { return leaf(n); }

	static double called(Callable<Double> c) throws Exception { return c.call(); }

	static <T extends Comparable<T>> T generic(T a, T b)
	{
		leaf(1);
		return a.compareTo(b) > 0 ? a : b;
	}

	static double loops(int n) /* long enough to be replaced while it runs */
	{
		double sum = 0;
		for (int i = 0; i < 20000; i++)
			sum += i % 50 == 0 ? leaf(i) : i;
		return sum + n;
	}

	static String aMethodWithANameThatIsSoLongThatItDoesNotFitIntoTheRoomThatIsKeptForTheNamesOfFunctionsOfTheProgramsThatAreWatchedWhichIs128Bytes()
	{
		leaf(3);
		return "";
	}

	static double once(int k) throws Exception
	{
		Shape[] shapes = {new Square(), new Circle(), new Triangle(k % 7)};
		switch (k % 11) {
		case 0: return recursion(8, shapes, k);
		case 1: return sorted(32);
		case 2: return streamed(32);
		case 3: return reflected(k);
		case 4: return thrown(5);
		case 5: return locked(k);
		case 6: return called(() -> leaf(k) + recursion(2, shapes, k));
		case 7: return generic("a", "b").length() + generic(k, 3);
		case 8: return k % 100 == 8 ? loops(k) : 0;
		case 9: return aMethodWithANameThatIsSoLongThatItDoesNotFitIntoTheRoomThatIsKeptForTheNamesOfFunctionsOfTheProgramsThatAreWatchedWhichIs128Bytes().length();
		default: return Later.value;
		}
	}

	static void work(PrintWriter log, int stacks)
	{
		Tracer t = new Tracer(log);
		tracer.set(t);
		try {
			for (int k = 0; t.calls < stacks * Tracer.OF_CALLS; k++)
				sink += once(k);
		} catch (Exception e) {
			throw new RuntimeException(e);
		}
	}

	public static void main(String[] args) throws Exception
	{
		try (PrintWriter log = new PrintWriter(args[0])) {
			int stacks = Integer.parseInt(args[1]);
			Thread[] threads = new Thread[2];
			for (int i = 0; i < threads.length; i++) {
				threads[i] = new Thread(() -> work(log, stacks), "truth" + i);
				threads[i].start();
			}
			for (Thread t : threads)
				t.join();
		}
	}
}
