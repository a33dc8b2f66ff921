import { DatabaseError } from 'pg';

/** SQLSTATE of an error from the server, or null for any other error. */
export const sqlState = (error: unknown): string | null =>
  error instanceof DatabaseError ? (error.code ?? null) : null;

/** Name of the constraint that a statement violated (unique, foreign key, check, not null), or null. */
export const violatedConstraint = (error: unknown): string | null =>
  error instanceof DatabaseError && error.code?.startsWith('23') === true ? (error.constraint ?? null) : null;
