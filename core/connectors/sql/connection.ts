import { ConnectorError } from '../connector.ts';
import type { SqlEngineName, SqlTarget } from './engine.ts';

/** What a connection string says. `database`: null if it names none. */
export type SqlConnection = Omit<SqlTarget, 'database'> & { engine: SqlEngineName; database: string | null };

const SCHEMES: Readonly<Record<string, { engine: SqlEngineName; port: number }>> = {
  'postgres:': { engine: 'postgres', port: 5432 },
  'postgresql:': { engine: 'postgres', port: 5432 },
  'mysql:': { engine: 'mysql', port: 3306 },
  'mariadb:': { engine: 'mysql', port: 3306 },
  'sqlserver:': { engine: 'sqlserver', port: 1433 },
  'mssql:': { engine: 'sqlserver', port: 1433 },
};
const THIS_MACHINE = ['localhost', '127.0.0.1', '::1'];
const WITHOUT_TLS = 'disable';

/**
 * Reads `postgres://LOGIN:PASSWORD@HOST:PORT/DATABASE`, or the same with the scheme of another engine. Connections have
 * TLS, whatever the string asks for. `?sslmode=disable` is accepted for this machine alone.
 * Throws `ConnectorError` (`auth`) if the string is malformed, (`permanent`) if it asks for a connection without TLS.
 */
export function connectionFrom(text: string): SqlConnection {
  const url = URL.parse(text.trim());
  const scheme = url === null ? undefined : SCHEMES[url.protocol];
  if (url === null || scheme === undefined || url.hash !== '') throw malformed();
  const host = decoded(url.hostname)
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1');
  const user = decoded(url.username);
  if (host === '' || user === '') throw malformed();
  const tls = url.searchParams.get('sslmode') !== WITHOUT_TLS;
  if (!tls && !THIS_MACHINE.includes(host)) throw new ConnectorError('permanent', 'sql_tls_required');
  return {
    engine: scheme.engine,
    host,
    port: url.port === '' ? scheme.port : Number(url.port),
    database: decoded(url.pathname.slice(1)) || null,
    user,
    password: decoded(url.password),
    tls,
  };
}

const malformed = () => new ConnectorError('auth', 'sql_connection_malformed');

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) throw malformed();
    throw error;
  }
}
