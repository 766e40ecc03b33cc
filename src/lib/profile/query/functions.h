/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions for queries that SQLite lacks:
 *
 *	percentile(X, P)	of all X that are numbers, the value below which P percent are, P from 0 to 100; between two
 *				values in proportion. NULL if there is none
 *	median(X)		percentile(X, 50)
 *	stack(NODE)		the functions of a stack, the outermost first, with semicolons between them; NULL if there is none
 *
 * No view in the file can call them, so that a file cannot make a query of others slow.
 */
#pragma once
#include <sqlite3.h>

struct query_functions {
	sqlite3 *db;
	sqlite3_stmt *up; /* from a node to its parent */
};

/* Declare them in @db. @f must stay where it is until query_functions_done(). Returns a code of SQLite. */
int query_functions_add(struct query_functions *f, sqlite3 *db);

/* To be called before @db is closed. */
void query_functions_done(struct query_functions *f);
