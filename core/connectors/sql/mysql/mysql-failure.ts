import type { ConnectorError } from '../../connector.ts';
import { databaseRefused, type SqlFailure, sqlFailure } from '../engine.ts';

/** What the driver and the server say of an error, beside its text. The text may hold names and values. */
export type MysqlError = Error & { code?: string; errno?: number; sqlState?: string };

export const isMysqlError = (error: unknown): error is MysqlError =>
  error instanceof Error && ('errno' in error || 'code' in error);

/** By number: the driver has no name for those of MariaDB alone. https://mariadb.com/kb/en/mariadb-error-code-reference/ */
const BY_NUMBER: Readonly<Record<number, SqlFailure>> = {
  1040: 'sql_too_many_connections',
  1203: 'sql_too_many_connections',
  1226: 'sql_too_many_connections',
  1045: 'sql_login_refused',
  1251: 'sql_login_refused',
  1275: 'sql_login_refused',
  1698: 'sql_login_refused',
  1820: 'sql_login_refused',
  1862: 'sql_login_refused',
  2059: 'sql_login_refused',
  3118: 'sql_login_refused',
  3955: 'sql_login_refused',
  4151: 'sql_login_refused',
  3159: 'sql_tls_refused',
  1205: 'sql_locked',
  3572: 'sql_locked',
  1317: 'sql_statement_timeout',
  1969: 'sql_statement_timeout',
  3024: 'sql_statement_timeout',
  1053: 'sql_interrupted',
  1213: 'sql_interrupted',
  1412: 'sql_interrupted',
  1927: 'sql_unreachable',
  4031: 'sql_unreachable',
};

const BY_CODE: Readonly<Record<string, SqlFailure>> = {
  HANDSHAKE_NO_SSL_SUPPORT: 'sql_tls_refused',
  HANDSHAKE_SSL_ERROR: 'sql_tls_refused',
  PROTOCOL_SEQUENCE_TIMEOUT: 'sql_statement_timeout',
};

/** Numbers of the server begin at 1000. Those of the operating system, which lost the connection, are negative. */
const isOfServer = (errno: number | undefined): errno is number => errno !== undefined && errno >= 1000;

const DENIED = new Set([1142, 1143, 1227, 1370]);
const GONE = new Set([1146, 1051]);
/** They pass: somebody else has a lock, or the server stops. */
const PASSES = new Set<SqlFailure | undefined>([
  'sql_locked',
  'sql_interrupted',
  'sql_unreachable',
  'sql_too_many_connections',
]);

/**
 * What a statement on one table or view says of it, null if the error is about something else. A view computes what its
 * author wrote: if that fails or takes too long, it will the next time.
 */
export function tableRefusal({ errno = 0 }: MysqlError, isView: boolean): 'denied' | 'gone' | null {
  if (DENIED.has(errno)) return 'denied';
  if (isView) return isOfServer(errno) && !PASSES.has(BY_NUMBER[errno]) ? 'denied' : null;
  return GONE.has(errno) ? 'gone' : null;
}

export function mysqlFailure({ code = '', errno }: MysqlError): ConnectorError {
  if (errno === 1049) return databaseRefused('not_found');
  if (errno === 1044) return databaseRefused('denied');
  const known = BY_CODE[code] ?? (errno === undefined ? undefined : BY_NUMBER[errno]);
  if (known !== undefined) return sqlFailure(known);
  return sqlFailure(isOfServer(errno) ? 'sql_refused' : 'sql_unreachable');
}
