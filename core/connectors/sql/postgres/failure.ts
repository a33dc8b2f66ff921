import { DatabaseError } from 'pg';
import { ConnectorError } from '../../connector.ts';
import { databaseRefused, type SqlFailure, sqlFailure } from '../engine.ts';

/** What SQLSTATE of an error means; its class if the code itself is not named. */
const BY_STATE: Readonly<Record<string, SqlFailure>> = {
  '08': 'sql_unreachable',
  '25P03': 'sql_interrupted',
  '28': 'sql_login_refused',
  '40': 'sql_interrupted',
  // A column was dropped after its table was described.
  '42703': 'sql_interrupted',
  '53': 'sql_too_many_connections',
  '55P03': 'sql_locked',
  '57014': 'sql_statement_timeout',
  '57P': 'sql_interrupted',
};
/** What Node says of certificates and of the handshake. */
const TLS = /^(?:ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/;

export const stateOf = (error: unknown): string | null =>
  error instanceof DatabaseError ? (error.code ?? null) : null;

/** The error for whatever the driver throws. What is not of the server or the connection stays as it is. */
export function failureOf(error: unknown): unknown {
  if (error instanceof ConnectorError) return error;
  const state = stateOf(error);
  if (state !== null)
    return sqlFailure(
      BY_STATE[state] ?? BY_STATE[state.slice(0, 3)] ?? BY_STATE[state.slice(0, 2)] ?? 'sql_refused',
    );
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (TLS.test(code)) return sqlFailure('sql_tls_refused');
  if (code !== '') return sqlFailure('sql_unreachable');
  // The driver has no codes of its own: plain errors with words.
  if (error.constructor !== Error) return error;
  if (/SSL/.test(error.message)) return sqlFailure('sql_tls_refused');
  return sqlFailure(error.message.startsWith('SASL') ? 'sql_login_refused' : 'sql_unreachable');
}

/** The same for an error of the connection itself. */
export function connectFailureOf(error: unknown): unknown {
  const state = stateOf(error);
  if (state === '3D000') return databaseRefused('not_found');
  if (state === '42501') return databaseRefused('denied');
  return failureOf(error);
}
