<?php
/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls posix_getppid() in all ways in which PHP calls functions, and logs its own stack each time.
 * usage: php.php LOG ROUNDS
 */

declare(strict_types=1);

$log = fopen($argv[1], "w");

/* The functions in @trace, from the innermost outwards, and where each one is: calls of functions that are written in C have no file. */
function frames(array $trace, int $line): array
{
    $frames = [];
    $file = __FILE__;
    foreach ($trace as $call) {
        /* the name of a class without one has a 0 byte, and its file */
        $name = isset($call["class"]) ? strtok($call["class"], "\0") . "::" . $call["function"] : $call["function"];
        $is_file = in_array($call["function"], ["include", "include_once", "require", "require_once", "eval"]) && !isset($call["class"]);
        if ($file !== null) {
            $frames[] = [$is_file ? basename($file) : $name, $file, $line];
        }
        $file = $call["file"] ?? null;
        $line = $call["line"] ?? 0;
    }
    if ($file !== null) { /* functions at the end of the program are called by none */
        $frames[] = ["{main}", $file, $line];
    }
    return $frames;
}

function mark(): int
{
    global $log;
    $trace = debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS); posix_getppid(); $line = __LINE__; /* on one line: both have the same stack */
    fwrite($log, json_encode([getmypid(), frames($trace, $line)], JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE) . "\n");
    return 0;
}

function recursion(int $n): int
{
    return $n ? recursion($n - 1) : mark();
}

/* sort in C, which calls PHP, which calls C ... */
function through_c(int $n): int
{
    if (!$n) {
        return mark();
    }
    $two = [2, 1];
    usort($two, fn ($a, $b) => through_c($n - 1) + $a <=> $b);
    return 0;
}

trait Priced
{
    public function price(): int
    {
        return mark();
    }

    public static function cheapest(): int
    {
        return mark();
    }
}

abstract class Place
{
    public function open(): int
    {
        return mark() + $this->inner();
    }

    abstract protected function inner(): int;
}

class Shop extends Place implements ArrayAccess, IteratorAggregate, Countable, Stringable, JsonSerializable
{
    use Priced;

    public function __construct()
    {
        mark();
    }

    public function __destruct()
    {
        mark();
    }

    protected function inner(): int
    {
        return mark();
    }

    public function __get(string $name): int
    {
        return mark();
    }

    public function __set(string $name, mixed $value): void
    {
        mark();
    }

    public function __isset(string $name): bool
    {
        return (bool)mark();
    }

    public function __call(string $name, array $arguments): mixed
    {
        return mark();
    }

    public static function __callStatic(string $name, array $arguments): mixed
    {
        return mark();
    }

    public function __invoke(int $n): int
    {
        return mark();
    }

    public function __toString(): string
    {
        return (string)mark();
    }

    public function __clone()
    {
        mark();
    }

    public function offsetExists(mixed $o): bool
    {
        return mark() === 0;
    }

    public function offsetGet(mixed $o): mixed
    {
        return mark();
    }

    public function offsetSet(mixed $o, mixed $v): void
    {
        mark();
    }

    public function offsetUnset(mixed $o): void
    {
        mark();
    }

    public function getIterator(): Iterator
    {
        mark();
        yield from generator(2);
    }

    public function count(): int
    {
        return mark();
    }

    public function jsonSerialize(): mixed
    {
        return [mark()];
    }
}

function generator(int $n): Generator
{
    try {
        for ($i = 0; $i < $n; $i++) {
            mark();
            $got = yield $i;
            if ($got) {
                mark();
            }
        }
    } finally {
        mark();
    }
    return mark();
}

function delegates(int $n): Generator
{
    $last = yield from $n ? delegates($n - 1) : generator(2);
    mark();
    yield from [1, 2];
    mark();
    return $last;
}

function raises(): void
{
    try {
        try {
            $shop = new Shop();
            throw_it(3);
        } catch (LogicException $e) {
            mark();
        } finally {
            mark();
        }
    } catch (RuntimeException $e) {
        mark();
        unset($shop);
    }
}

function throw_it(int $n): void
{
    $held = new Shop(); /* destroyed while the exception is on its way */
    if ($n) {
        throw_it($n - 1);
    }
    mark();
    throw new RuntimeException((string)mark());
}

function by_reference(int &$n, int ...$more): int
{
    return $n = mark();
}

function größe(): int
{
    return mark();
}

function several(int $a,
                 int $b): array
{
    return [
        $a,
        mark(
        ),
        mark() +
            mark(),
    ];
}

function fibers(): void
{
    $fiber = new Fiber(function (int $n): int {
        mark();
        $got = Fiber::suspend($n);
        $inner = new Fiber(function () {
            usort_in_fiber();
            Fiber::suspend(mark());
            mark();
        });
        $inner->start();
        mark();
        $inner->resume();
        return recursion(3);
    });
    $fiber->start(1);
    mark();
    $fiber->resume(2);
    mark();
}

function usort_in_fiber(): void
{
    $v = [2, 1];
    usort($v, fn ($a, $b) => mark() + $a <=> $b);
}

function calls_itself_by_name(): void
{
    call_user_func("mark");
    call_user_func_array([new Shop(), "price"], []);
    call_user_func("Shop::cheapest");
    $shop = new Shop();
    call_user_func([$shop, "is_not_there"]);
    forward(3);
    (new ReflectionFunction("mark"))->invoke();
    (new ReflectionMethod("Shop", "price"))->invoke($shop);
    $f = "recursion";
    $f(2);
    $m = [$shop, "price"];
    $m();
    mark(...)();
    $shop->price(...)();
    Closure::fromCallable([$shop, "absent"])();
    array_walk_recursive($GLOBALS["tree"], function ($v) {
        mark();
    });
    preg_replace_callback("/a/", fn ($m) => (string)mark(), "aba");
    ob_start(function (string $s): string {
        return $s . mark();
    });
    echo "x";
    ob_end_clean();
    iterator_apply($it = new ArrayIterator([1, 2]), fn () => mark() === 0);
    array_map(fn ($x) => array_map(fn ($y) => array_filter([$y], fn ($z) => mark() === 0), [$x, $x]), [1, 2]);
    array_reduce([1, 2, 3], fn ($c, $i) => $c + mark(), 0);
    spl_autoload_call("NotThere");
    class_exists("NotThereEither");
    set_error_handler(fn (int $no, string $text) => mark() === 0);
    trigger_error("x");
    echo $undefined;
    restore_error_handler();
    assert(mark() === 0);
    json_encode($shop);
    serialize([$shop->price()]);
}

function forward(int $n): int
{
    return forward_static_call_array("recursion", [$n]);
}

$tree = [1, [2, [3]]];
spl_autoload_register(function (string $class): void {
    mark();
});

$folder = sys_get_temp_dir() . "/" . uniqid("dusk-php");
mkdir($folder);
file_put_contents("$folder/lib.php", "<?php\nmark();\nfunction_exists('of_lib') or require __DIR__ . '/functions.php';\n\nreturn of_lib();\n");
file_put_contents("$folder/functions.php", "<?php\nfunction of_lib()\n{\n    return mark();\n}\nmark();\n");
eval("function long_name_" . str_repeat("n", 150) . "() { return mark(); }");
eval("class LongName" . str_repeat("n", 150) . " { function f() { return mark(); } }");
eval("function far()\n{\n" . str_repeat("\n", 70000) . "    mark();\n    return [mark(\n)];\n}\n");

function everything(string $folder): void
{
    mark();
    recursion(40);
    through_c(5);
    $shop = new Shop();
    $shop->open();
    Shop::cheapest();
    $shop->missing;
    $shop->missing = 1;
    isset($shop->missing);
    $shop->absent(1);
    Shop::absent(1);
    $shop(1);
    (string)$shop;
    $copy = clone $shop;
    $shop[1];
    $shop[1] = 2;
    isset($shop[1]);
    unset($shop[1]);
    count($shop);
    foreach ($shop as $x) {
        mark();
    }
    $copy = null;
    foreach (delegates(3) as $x) {
        mark();
    }
    iterator_to_array(delegates(2), false);
    $g = generator(3);
    $g->current();
    $g->send(1);
    $g = null; /* ends it: finally */
    raises();
    $n = 1;
    by_reference($n, 1, 2, 3);
    größe();
    several(1, 2);
    fibers();
    calls_itself_by_name();
    include "$folder/lib.php";
    require "$folder/lib.php";
    ("long_name_" . str_repeat("n", 150))();
    (new ("LongName" . str_repeat("n", 150))())->f();
    far();
    $anonymous = new class extends Shop {
        public function price(): int
        {
            return mark() + parent::price();
        }
    };
    $anonymous->price();
    $anonymous = null;
    $bound = function () {
        return mark();
    };
    Closure::bind($bound, $shop, Shop::class)();
    static fn () => mark();
    match (true) {
        mark() === 1 => 1,
        default => mark(),
    };
    /* functions that are made, used and freed again and again, where the last ones were */
    for ($i = 0; $i < 10; $i++) {
        $f = eval(str_repeat("\n", $i) . "return function() {\n mark(); };");
        $f();
        $f = null;
        eval(str_repeat("\n", $i) . "mark();");
        $f = eval("return new class { function m$i() { return mark(); } };");
        $f->{"m$i"}();
        $f = null;
    }
}

for ($i = 0; $i < (int)$argv[2]; $i++) {
    everything($folder);
    (function () use ($folder) {
        everything($folder);
    })();
}
register_shutdown_function(function () use ($folder) {
    mark();
    array_map("unlink", glob("$folder/*"));
    rmdir($folder);
});
