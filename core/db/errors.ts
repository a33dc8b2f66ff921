import { DatabaseError } from 'pg';
import type { OwnProblem } from '../kernel/vocabulary.ts';

/** SQLSTATE of an error from the server, or null for any other error. */
export const sqlState = (error: unknown): string | null =>
  error instanceof DatabaseError ? (error.code ?? null) : null;

/** Name of the constraint that a statement violated (unique, foreign key, check, not null), or null. */
export const violatedConstraint = (error: unknown): string | null =>
  error instanceof DatabaseError && error.code?.startsWith('23') === true ? (error.constraint ?? null) : null;

/** Connection exceptions, too many connections, and a server that stops, starts or has crashed. */
const AWAY = /^(?:08...|53300|57P..)$/;
/** Insufficient resources, errors of the disk, and a server that was made read-only. 53400 is a limit of one session. */
const REFUSES = /^(?:53(?!400)...|58...|25006)$/;

const ofConnection = new WeakSet<Error>();

/** Notes that an error is of the connection, whatever its class. Returns the error. */
export function connectionFailure(error: unknown): unknown {
  if (error instanceof Error) ofConnection.add(error);
  return error;
}

/** Why the database works for nobody, or null if the error is about its statement or something else. */
export function databaseProblem(
  error: unknown,
): Extract<OwnProblem, 'database_away' | 'database_refuses'> | null {
  const state = sqlState(error) ?? '';
  if (AWAY.test(state)) return 'database_away';
  if (REFUSES.test(state)) return 'database_refuses';
  return error instanceof Error && ofConnection.has(error) ? 'database_away' : null;
}
