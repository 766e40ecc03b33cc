# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Calls getppid() in all ways in which Perl calls subs, and logs its own stack each time. usage: perl.pl LOG ROUNDS
use strict;
use warnings;
use utf8;
use feature qw(current_sub state);
no warnings qw(redefine once recursion void);
use List::Util qw(first reduce any);
use Scalar::Util qw(weaken);

BEGIN { $main::out = $ARGV[0]; open $main::log, ">:utf8", $main::out or die; }
our ($log, $out);

# What caller() says of each level: a sub, and where it was called.
sub mark { my @stack; my $line = __LINE__; my $parent = getppid(); # on one line
	my ($name, $file) = ("", __FILE__);
	for (my $i = 0; my @call = caller $i; $i++) {
		$name = $call[7] ? "(require)" : $call[3];
		push @stack, [$name, $file, $line];
		($file, $line) = @call[1, 2];
	}
	push @stack, ["(main)", $file, $line] if ${^GLOBAL_PHASE} eq "RUN"; # before and after it the program itself does not run
	print $log join("\t", $$, map { @$_ } @stack), "\n";
	return 0;
}

BEGIN { mark(); }

sub recursion { my $n = shift; return $n ? recursion($n - 1) : mark(); }

# sort in C, which calls Perl, which calls C ...
sub by_number { mark(); return $a <=> $b; }

sub through_c {
	my $n = shift;
	return mark() unless $n;
	my @sorted = sort { through_c($n - 1); $a <=> $b } 2, 1;
	return 0;
}

sub sorts {
	my $how = sub { mark(); $b <=> $a };
	my @sorted = sort by_number 3, 1, 2;
	@sorted = sort $how 3, 1, 2;
	@sorted = sort {
		mark();
		$a <=> $b;
	} 3, 1, 2;
	@sorted = reverse sort { my $o = Text->new; "$o"; $a <=> $b } 2, 1;
	@sorted = map { mark(); $_ } grep { mark(); 1 } 1, 2;
	return @sorted;
}

sub of_list_util {
	my $f = first { mark(); $_ > 1 } 1, 2;
	my $r = reduce { recursion(2); $a + $b } 1 .. 3;
	my $x = any { my @sorted = sort { mark(); $a <=> $b } 2, 1; 0 } 1, 2;
	return mark();
}

package Text {
	use overload
		'""'  => sub { main::mark(); my $s = eval { main::mark(); "inner" }; main::mark(); "text" },
		'+'   => \&add,
		'<=>' => sub { main::mark(); 0 },
		'cmp' => sub { main::mark(); 0 },
		'&{}' => sub { main::mark(); sub { main::mark() } },
		'bool' => sub { main::mark(); 1 };
	sub new { my $class = shift; main::mark(); return bless {@_}, $class; }
	sub add { my ($one, $two) = @_; return main::mark(); }
	sub DESTROY { main::mark(); eval { main::mark(); die "in DESTROY\n" }; main::mark(); }
	sub AUTOLOAD { our $AUTOLOAD; main::mark(); return $AUTOLOAD; }
}

package Tied {
	sub TIESCALAR { main::mark(); return bless {}, shift; }
	sub FETCH { my $got = eval { main::recursion(1); 1 }; return main::mark(); }
	sub STORE { main::mark(); }
	sub TIEHASH { main::mark(); return bless {}, shift; }
	sub FIRSTKEY { main::mark(); return "a"; }
	sub NEXTKEY { main::mark(); return; }
}

package Tied::Hash { our @ISA = ('Tied'); sub FETCH { main::mark(); shift->SUPER::FETCH(); } }

package Base { sub new { return bless {}, shift; } sub method { main::mark(); return 1; } sub can_do { return main::mark(); } }

package Derived {
	our @ISA = ('Base');
	sub method { my $self = shift; main::mark(); return $self->SUPER::method(); }
}

sub objects {
	my $o = Text->new(a => 1);
	my $s = "$o";
	my $n = $o + 1;
	my @sorted = sort { $a <=> $b } $o, Text->new;
	$o->();
	mark() if $o;
	$o->not_there(1);
	{
		local $o->{a} = Text->new;
		mark();
	}
	my $d = Derived->new;
	$d->method;
	my $name = "can_do";
	$d->$name;
	my $code = $d->can('method');
	&$code($d);
	&recursion;
	tie my $x, 'Tied';
	$x = $x;
	tie my %h, 'Tied::Hash';
	my @k = map { mark(); $_ } keys %h;
	my $v = $h{a};
	goto_other(1);
	return;
}

sub goto_other { mark(); goto &recursion; }

sub raises {
	eval { throw(3); };
	mark();
	eval {
		local $SIG{__DIE__} = sub { mark(); };
		throw(2);
		1;
	} or do { mark(); };
	local $SIG{__WARN__} = sub { mark(); };
	warn "x\n";
	my $undefined;
	my $s = "a$undefined";
	eval { eval { throw(1) }; mark(); die { code => mark() } };
	local $@;
	return mark();
}

sub throw {
	my $n = shift;
	my $held = Text->new; # destroyed while the stack is unwound
	throw($n - 1) if $n;
	mark();
	die "thrown\n";
}

sub patterns {
	my $s = "aba";
	$s =~ s/a/mark() . "b"/ge;
	$s =~ s{b}{ my $c = Text->new; "$c" }e;
	$s =~ /(?:.(?{ mark() }))+x/;
	my $code = qr/t(?{ recursion(1) })e/;
	"text" =~ $code;
	"text" =~ /x${code}/;
	my @parts = split /(?{ mark() })x/, "axbxc";
	return;
}

sub evaluates {
	my $n = shift;
	eval "mark(); recursion(1);";
	eval "\n\nsub { mark() }->();";
	eval "#line 100 \"elsewhere.pl\"\nmark();\nsub of_elsewhere { mark() }\nof_elsewhere();";
	my $deep = eval { eval { eval { mark() } } };
	# subs that are made and freed again and again, where the last ones were
	for my $i (1 .. 10) {
		my $f = eval(("\n" x $i) . "sub { mark(); }");
		$f->();
		undef $f;
		eval "sub made_$i { mark(); } made_$i(); undef &made_$i; delete \$main::{made_$i};";
		no strict 'refs';
		*{"Made::by_glob"} = sub { mark(); };
		Made::by_glob();
		eval "package Pack$i; sub method { main::mark() } __PACKAGE__->method; undef &method;";
	}
	return;
}

sub closures {
	my @made = map { my $n = $_; sub { mark(); return $n } } 1 .. 3;
	$_->() for @made;
	my $rec;
	$rec = sub { my $n = shift; $n ? $rec->($n - 1) : mark() };
	$rec->(3);
	weaken(my $weak = $rec);
	my sub lexical { my $n = shift; return $n ? __SUB__->($n - 1) : mark() }
	lexical(2);
	state $once = mark();
	local *globbed = sub { mark() };
	globbed();
	sub () { mark() }->();
	wantarray();
	return mark();
}

sub statements {
	my $n = shift;
	if ($n) {
		mark();
	} elsif (mark()) {
		mark();
	} else {
		mark();
	}
	unless ($n) {
		mark();
		mark();
	}
	for (1 .. 2) {
		mark();
	}
	while ($n-- > 0) {
		if (1) {
			mark();
		}
	}
	do { mark(); } until 1;
	my %h = (
		a => mark(),
		b => [ map { mark() } 1, 2 ],
		c => { d => recursion(
			1
		) },
	);
	my $x = mark() || mark()
		|| mark();
	return mark(),
		mark();
}

sub größe { return mark(); }

sub signals {
	local $SIG{USR1} = sub { mark(); recursion(1); };
	kill USR1 => $$;
	my $n = 0;
	$n++ while $n < 100;
	return;
}

my ($folder) = $out =~ m{^(.*)/} ? $1 : ".";
my $module = "$folder/Required$$.pm";

sub requires {
	open my $f, ">", $module or die;
	print $f "package Required;\nmain::mark();\nsub import { main::mark() }\nBEGIN { main::mark() }\nsub f { main::mark() }\nf();\n1;\n";
	close $f;
	delete $INC{$module};
	require $module;
	Required::f();
	do $module;
	unlink $module;
	return;
}

our $long = "long_name_" . ("n" x 150);
eval "sub $long { mark() }";
eval "package " . ("Long" x 40) . "; sub new { main::mark() }";

sub everything {
	no strict 'refs';
	mark();
	recursion(40);
	through_c(4);
	sorts();
	of_list_util();
	objects();
	raises();
	patterns();
	evaluates();
	closures();
	statements($_) for 0 .. 2;
	größe();
	signals();
	requires();
	&$long();
	("Long" x 40)->new;
	eval("\n" x 70000 . "mark();");
	return;
}

for (1 .. $ARGV[1]) {
	everything();
	sub { everything() }->();
	tie my $x, 'Through';
	$x = $x;
	my @sorted = sort { everything(); $a <=> $b } 1, 2;
}
sub Through::TIESCALAR { return bless {}, shift; }
sub Through::FETCH { eval { everything(); 1 } or die; everything(); return 1; }
sub Through::STORE { return; }
END { mark(); }
our $global = Text->new;
