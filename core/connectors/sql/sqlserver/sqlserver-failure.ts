import { ConnectionError, RequestError } from 'tedious';
import type { ConnectorError } from '../../connector.ts';
import { databaseRefused, type SqlFailure, sqlFailure } from '../engine.ts';

/** What the driver says of an error beside its text, which may hold names and values. `number`: of the server. */
export type SqlServerError = Error & { code?: string | undefined; number?: number | undefined };

/** Several errors of one statement come as one. */
export function sqlServerError(error: unknown): SqlServerError | null {
  const one: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return one instanceof ConnectionError || one instanceof RequestError ? one : null;
}

/** https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors */
const BY_NUMBER: Readonly<Record<number, SqlFailure>> = {
  18452: 'sql_login_refused',
  18456: 'sql_login_refused',
  18470: 'sql_login_refused',
  18486: 'sql_login_refused',
  18487: 'sql_login_refused',
  18488: 'sql_login_refused',
  40532: 'sql_login_refused',
  40615: 'sql_login_refused',
  1222: 'sql_locked',
  1204: 'sql_interrupted',
  1205: 'sql_interrupted',
  3960: 'sql_interrupted',
  3961: 'sql_interrupted',
  6005: 'sql_interrupted',
  18401: 'sql_interrupted',
  40197: 'sql_interrupted',
  40613: 'sql_interrupted',
  10928: 'sql_too_many_connections',
  10929: 'sql_too_many_connections',
  17809: 'sql_too_many_connections',
  40501: 'sql_too_many_connections',
  49918: 'sql_too_many_connections',
  49919: 'sql_too_many_connections',
  49920: 'sql_too_many_connections',
};

/** The server does not say whether a database is missing or denied. Denied is said, so that nothing counts as deleted. */
const DATABASE_DENIED = new Set([911, 916, 4060]);
/** On an object, and on a column. */
const DENIED = new Set([229, 230]);
const INVALID_OBJECT = 208;

/**
 * What a statement on one table or view says of it, null if the error is about something else. A view computes what its
 * author wrote: if that fails or takes too long, it will the next time.
 */
export function tableRefusal(error: SqlServerError, isView: boolean): 'denied' | 'gone' | null {
  const { number } = error;
  if (number !== undefined && DENIED.has(number)) return 'denied';
  if (isView) return isOfView(error) ? 'denied' : null;
  return number === INVALID_OBJECT ? 'gone' : null;
}

const isOfView = (error: SqlServerError) =>
  error.number === undefined ? isTimeout(error) : BY_NUMBER[error.number] === undefined;

/** Of a statement. The driver gives the same code to a connection that is not made in time. */
const isTimeout = (error: SqlServerError) =>
  error instanceof RequestError && (error.code === 'ETIMEOUT' || error.code === 'ECANCEL');

/** The view is not in this release or edition, or its right is missing. */
export const isNotOffered = ({ number = 0 }: SqlServerError) =>
  [208, 297, 300, 371].includes(number) || number === 229;

/** The table takes no sample of blocks. */
export const takesNoSample = ({ number = 0 }: SqlServerError) => [494, 497, 10794].includes(number);

/** Codes of the TLS library of Node begin so. */
const TLS = /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH)/;

/**
 * @param loginNumber the first error of the server while it connects, which the error of the driver does not have
 */
export function sqlServerFailure(error: SqlServerError, loginNumber: number | null = null): ConnectorError {
  const number = error.number ?? loginNumber ?? undefined;
  if (number !== undefined && DATABASE_DENIED.has(number)) return databaseRefused('denied');
  const known = number === undefined ? undefined : BY_NUMBER[number];
  if (known !== undefined) return sqlFailure(known);
  if (isOfTls(error)) return sqlFailure('sql_tls_refused');
  if (isTimeout(error)) return sqlFailure('sql_statement_timeout');
  if (error.code === 'ELOGIN') return sqlFailure('sql_login_refused');
  return sqlFailure(number === undefined ? 'sql_unreachable' : 'sql_refused');
}

/** The driver wraps an error of the connection. */
function isOfTls(error: SqlServerError): boolean {
  const causes = [error, error.cause].filter((each) => each instanceof Error) as SqlServerError[];
  return causes.some(({ code = '' }) => TLS.test(code) || code === NO_TLS);
}

/** Of an error of our own: the server wants to go on without TLS. */
export const NO_TLS = 'ENOTLS';
