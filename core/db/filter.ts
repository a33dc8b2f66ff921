import { unpeeked } from './plan-hints.ts';
import { type Statement, sql } from './sql.ts';

/** Condition that a column has the value that a filter asks for. True if it asks for none. */
export const equal = (column: Statement, value: string | undefined): Statement =>
  value === undefined ? sql`true` : sql`${column} = ${value}`;

/** The same, with one plan for all values. */
export const equalUnpeeked = (column: Statement, value: string | undefined): Statement =>
  value === undefined ? sql`true` : sql`${column} = ${unpeeked(value)}`;
