# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Calls getppid() in all ways in which Ruby calls methods and blocks, and logs its own stack each time. usage: ruby.rb LOG ROUNDS
require "json"
require "set"
require "forwardable"
require "tmpdir"

LOG = File.open(ARGV[0], "w")
LOCK = Mutex.new

def tid = File.readlink("/proc/thread-self")[/\d+$/].to_i

# Functions that are written in C have the place of their caller, or none, and have no names of methods here.
def frames(trace)
  trace.each_with_index.map { |l, i|
    outer = trace[i + 1]
    in_c = !l.path || outer && l.path == outer.path && l.lineno == outer.lineno && l.label !~ /\Am_| |\A<[a-z]/
    [l.label, l.path, l.lineno] unless in_c
  }.compact
end

def m_mark
  trace = caller_locations(0); Process.ppid # on one line: both have the same stack
  line = JSON.generate([tid, frames(trace)])
  LOCK.synchronize { LOG.puts(line) }
  0
end

def m_recursion(n)
  n == 0 ? m_mark : m_recursion(n - 1)
end

# C, which calls Ruby, which calls C ...
def m_through_c(n)
  return m_mark if n == 0
  [2, 1].sort_by { |x|
    m_through_c(n - 1)
    x
  }
  [1].each do |x|
    [x].map { |y|
      m_mark
    }
  end
end

module Priced
  def m_price
    m_mark
  end
end

class Place
  attr_reader :m_plain

  def initialize(n = 0)
    @n = n
    m_mark
  end

  def m_open
    m_mark
    yield m_mark if block_given?
  end
end

class Shop < Place
  include Priced
  include Comparable
  include Enumerable
  extend Forwardable
  def_delegator :@items, :m_size

  def initialize(n = 0)
    super
    @items = Items.new
    m_mark
  end

  def m_open
    super { |x|
      m_mark
    }
    super()
  end

  def m_price
    super
  end

  def <=>(other)
    m_mark
    0
  end

  def each
    yield m_mark
    yield m_recursion(2)
    self
  end

  def to_s
    m_mark
    "shop"
  end

  def coerce(other)
    m_mark
    [other, 1]
  end

  def method_missing(name, *args)
    m_mark
    name.to_s.start_with?("m_absent") ? m_recursion(1) : super
  end

  def respond_to_missing?(name, all = false)
    m_mark
    name.to_s.start_with?("m_absent")
  end

  def [](n)
    m_mark
  end

  def []=(n, value)
    m_mark
  end

  def m_set=(value)
    m_mark
  end

  def +(other)
    m_mark
  end

  def !
    m_mark
    false
  end

  def ==(other)
    m_mark
    true
  end

  def hash
    m_mark
    1
  end

  def eql?(other)
    m_mark
    true
  end

  def to_proc
    m_mark
    proc { |x|
      m_mark
    }
  end

  def self.m_class_method
    m_mark
  end

  class << self
    def m_singleton
      m_mark
    end
    define_method(:m_defined) { |*a|
      m_mark
    }
    m_mark
  end

  def self.inherited(c)
    m_mark
    super
  end

  define_method(:m_by_block) do |n = 1|
    m_mark
    n.times {
      m_mark
    }
  end
  alias m_other m_by_block
  m_mark
end

class Items
  def m_size
    m_mark
  end
end

def m_raises
  begin
    begin
      m_throw(3)
    rescue ArgumentError => e
      m_mark
    ensure
      m_mark
    end
  rescue RuntimeError => e
    m_mark
    begin
      raise "again"
    rescue
      m_mark
    else
      m_mark
    ensure
      [1].each {
        m_mark
      }
    end
  end
  x = Integer("x") rescue m_mark
  n = 0
  begin
    n += 1
    raise "twice" if n < 3
    m_mark
  rescue
    m_mark
    retry
  end
  catch(:done) {
    [1, 2].each {
      m_mark
      throw :done
    }
  }
  m_mark
end

def m_throw(n)
  m_throw(n - 1) if n > 0
  m_mark
  raise "thrown"
ensure
  m_mark
end

def m_leaves
  [1, 2, 3].each { |x|
    return m_mark if x == 2
    next if m_mark == 1
  }
ensure
  m_mark
end

def m_enumerators
  e = Enumerator.new { |y|
    m_mark
    y << 1
    m_recursion(1)
    y << 2
  }
  e.next
  m_mark
  e.next
  e.each { |x|
    m_mark
  }
  lazy = (1..3).lazy.map { |x|
    m_mark
    x
  }.select { |x|
    m_mark
    true
  }
  lazy.first(2)
  [3, 1].each_with_index.map { |x, i|
    m_mark
  }
  [1, 2].each_slice(1) { |x|
    m_mark
  }
  { a: 1 }.each_pair { |k, v|
    m_mark
  }
  { a: 1 }.transform_values { |v|
    m_mark
  }
  1.upto(2) { |i|
    m_mark
  }
  2.times { |i|
    m_mark
  }
  [2, 1].sort { |a, b|
    m_mark
    a <=> b
  }
  [1, 2].inject { |a, b|
    m_mark
  }
  Hash.new { |h, k|
    h[k] = m_mark
  }[1]
  Array.new(2) { |i|
    m_mark
  }
  "ab".gsub(/a/) {
    m_mark
    "b"
  }
  "ab".each_char { |c|
    m_mark
  }
  loop do
    m_mark
    break
  end
  1.then { |x|
    m_mark
  }
  1.tap { |x|
    m_mark
  }
  [1].each(&Shop.new)
  [1].map(&method(:m_recursion).curry(1)) if false
  [0].map(&method(:m_recursion))
  %w[a].each_entry(&:to_s)
end

def m_closures
  made = (1..2).map { |n|
    lambda { |x|
      m_mark
      n
    }
  }
  made.each { |f|
    f.call(1)
  }
  f = ->(n) {
    n == 0 ? m_mark : f.(n - 1)
  }
  f[3]
  g = f >> ->(x) {
    m_mark
  }
  g.call(1)
  m_yields { |x|
    m_mark
  }
  Proc.new {
    m_mark
  }.call
  instance_exec(1) { |x|
    m_mark
  }
  Shop.class_eval {
    m_mark
  }
  send(:m_recursion, 2)
  public_send(:then) {
    m_mark
  }
  method(:m_recursion).call(1)
  method(:m_recursion).unbind.bind(self).call(1)
  m_with_defaults
  m_with_keys(1, b: m_mark)
end

def m_yields
  yield 1
  [1].each {
    yield 2
  }
end

def m_with_defaults(a = m_mark, b: m_mark)
  m_mark
end

def m_with_keys(a, *r, b:, **k, &blk)
  m_mark
end

def m_objects
  s = Shop.new
  s.m_open {
    m_mark
  }
  s.m_price
  s < Shop.new
  s.map { |x|
    m_mark
  }
  s.each { |x|
    m_mark
  }
  s.sort_by { |x|
    m_mark
  }
  "#{s}"
  1 + s
  s.m_absent(1)
  s.respond_to?(:m_absent)
  s[1]
  s[1] = 2
  s.m_set = 3
  s += 1
  s = Shop.new
  !s
  s == 1
  s != 1
  { s => 1 }[s]
  Set.new([s])
  [s].uniq
  [s].include?(1)
  Shop.m_class_method
  Shop.m_singleton
  Shop.m_defined
  s.m_by_block
  s.m_other(2)
  s.m_size
  c = Class.new(Shop) {
    m_mark
    def m_of_anonymous
      m_mark
    end
    define_method(:m_made) {
      m_recursion(1)
    }
  }
  c.new.m_of_anonymous
  c.new.m_made
  refined = Struct.new(:a) {
    def to_s
      m_mark
      "s"
    end
  }
  refined.new(1).to_s
  o = Object.new
  def o.m_single
    m_mark
  end
  o.m_single
  [s, Shop.new].max
  [s, Shop.new].sort
end

def m_fibers
  f = Fiber.new { |x|
    m_mark
    Fiber.yield m_recursion(2)
    inner = Fiber.new {
      [1].each {
        m_mark
        Fiber.yield
      }
      m_mark
    }
    inner.resume
    m_mark
    inner.resume
  }
  f.resume(1)
  m_mark
  f.resume
  e = [1, 2].each
  e.next
  m_mark
end

def m_threads
  threads = 3.times.map { |i|
    Thread.new {
      m_recursion(i)
      m_through_c(2)
      m_fibers
      Thread.pass
      m_raises
    }
  }
  m_mark
  threads.each(&:join)
  q = Queue.new
  t = Thread.new {
    q.pop
    m_mark
  }
  sleep 0.01
  q << 1
  t.join
end

def m_evaluates(folder)
  eval "m_mark"
  eval "\n\n[1].each { m_mark }"
  eval "m_mark", binding, "elsewhere.rb", 77
  instance_eval "m_mark"
  Shop.class_eval "def m_evaluated\n m_mark\nend", "shop_evaluated.rb", 5
  Shop.new.m_evaluated
  # methods and blocks that are made and freed again and again, where the last ones were
  30.times { |i|
    f = eval("#{"\n" * i}proc {\n m_mark }")
    f.call
    f = nil
    c = Class.new
    c.class_eval "def m_made#{i}\n m_mark\nend", "made#{i}.rb"
    c.new.send("m_made#{i}")
    c = nil
    GC.start if i % 10 == 9
  }
  load "#{folder}/lib.rb"
  require "#{folder}/required#{$round}"
  GC.compact if GC.respond_to?(:compact) && $round == 1
  m_mark
  m_of_lib
end

def m_größe
  m_mark
end

eval "def m_long_#{"n" * 150}\n m_mark\nend"
eval "def m_far\n#{"\n" * 70000}  m_mark\n [\n 1, m_mark\n]\nend"
eval "def m_wide\n#{(1..300).map { |i| "  x#{i} = #{i}\n  m_mark if x#{i} % 50 == 0\n" }.join}end"

def m_several(a,
              b)
  [
    a,
    m_mark,
    m_mark +
      m_mark,
  ]
  {
    a: m_mark,
    b: [
      m_mark
    ],
  }
  case m_mark
  when 1
    m_mark
  else
    m_mark
  end
  m_mark if a
  while b > 0
    b -= 1
    m_mark
  end
  a ? m_mark :
    m_mark
  m_mark && m_mark ||
    m_mark
end

def m_signals
  old = trap("USR1") {
    $got = true
  }
  Process.kill("USR1", Process.pid)
  sleep 0.001 until $got
  trap("USR1", old || "DEFAULT")
  ObjectSpace.each_object(Class).first(1).each {
    m_mark
  }
  tp = TracePoint.new(:call) { |t|
    tp.disable
    m_mark
  }
  tp.enable
  m_recursion(1)
  tp.disable
end

def m_everything(folder)
  m_mark
  m_recursion(40)
  m_through_c(4)
  m_objects
  m_raises
  m_leaves
  m_enumerators
  m_closures
  m_fibers
  m_threads
  m_evaluates(folder)
  m_größe
  send("m_long_" + "n" * 150)
  m_far
  m_wide
  m_several(1, 2)
  m_several(nil, 1)
  m_signals
end

Dir.mktmpdir { |folder|
  File.write("#{folder}/lib.rb", "m_mark\ndef m_of_lib\n  m_mark\nend\nm_of_lib\n")
  ARGV[1].to_i.times { |i|
    $round = i
    File.write("#{folder}/required#{i}.rb", "m_mark\nclass Required\n  m_mark\nend\n")
    m_everything(folder)
    Fiber.new {
      m_everything(folder)
    }.resume
  }
}
at_exit {
  m_mark
}
BEGIN {
  $begun = true
}
