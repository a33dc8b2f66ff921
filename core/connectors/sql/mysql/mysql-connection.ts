import { isIP } from 'node:net';
import { type Connection, createConnection } from 'mysql2';
import { throwIfAborted, untilAborted } from '../../abort.ts';
import { CATALOGUE_MS, CONNECT_MS, LOCK_MS, type SqlTarget, sqlFailure } from '../engine.ts';
import {
  freshFigures,
  type Statement,
  sessionSettings,
  statementBound,
  versionOfServer,
} from './mysql.sql.ts';
import { isMysqlError, mysqlFailure } from './mysql-failure.ts';

/** The value of a column that has no text is its bytes. */
export type Value = string | Buffer | null;

/** One connection. Each call rejects with the error of the driver or the server. */
export type MysqlConnection = {
  readonly isMariaDb: boolean;
  /** The rows of a statement, whose columns are read as texts. */
  rows<Row extends Readonly<Record<string, string | null>>>(statement: Statement): Promise<Row[]>;
  /** Each row is passed on and not kept. */
  each(statement: Statement, onRow: (row: readonly Value[]) => void): Promise<void>;
  run(statement: Statement): Promise<void>;
  /** Bounds the statements from now on. */
  boundStatements(ms: number): Promise<void>;
  close(): void;
};

/** The server ends a statement at its bound. If it does not answer by then, the connection is given up. */
const GRACE_MS = 2_000;

export async function openMysql(target: SqlTarget, signal: AbortSignal): Promise<MysqlConnection> {
  throwIfAborted(signal);
  // The driver compares the certificate of an address with the name `localhost`.
  if (target.tls && isIP(target.host) !== 0) throw sqlFailure('sql_tls_refused');
  const connection = createConnection({
    host: target.host,
    port: target.port,
    user: target.user,
    password: target.password,
    database: target.database,
    ...(target.tls && { ssl: { verifyIdentity: true, minVersion: 'TLSv1.2' } }),
    connectTimeout: CONNECT_MS,
    multipleStatements: false,
    // Otherwise the driver makes code of the names of columns.
    disableEval: true,
    dateStrings: true,
    // All clients of a server share its limit of prepared statements.
    maxPreparedStatements: 20,
    // No file of this machine, even if a server asks for one.
    flags: ['-LOCAL_FILES'],
  });
  // A connection may break while it is idle or given up. The next call notices.
  connection.on('error', () => {});
  try {
    return await untilAborted(signal, () => begin(connection));
  } catch (error) {
    connection.destroy();
    throw isMysqlError(error) ? mysqlFailure(error) : error;
  }
}

async function begin(connection: Connection): Promise<MysqlConnection> {
  const connected = Promise.withResolvers<void>();
  connection.connect((error) => (error === null ? connected.resolve() : connected.reject(error)));
  await connected.promise;
  let boundMs = CATALOGUE_MS;

  const each = ({ sql, values }: Statement, rowsAsArray: boolean, onRow: (row: unknown) => void) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const options = { sql, rowsAsArray, timeout: boundMs + GRACE_MS };
    // Without values as a text: not every server can prepare `SHOW` and `SET`.
    const query =
      values.length === 0
        ? connection.query<never>(options)
        : connection.execute<never>({ ...options, values: [...values] });
    query.on('result', onRow).on('error', reject).on('end', resolve);
    return promise;
  };
  const rows: MysqlConnection['rows'] = async <Row>(statement: Statement) => {
    const found: Row[] = [];
    await each(statement, false, (row) => found.push(row as Row));
    return found;
  };
  const run: MysqlConnection['run'] = (statement) => each(statement, true, () => {});

  const [server] = await rows<{ 'VERSION()': string }>(versionOfServer);
  const isMariaDb = /mariadb/i.test(server?.['VERSION()'] ?? '');
  const boundStatements: MysqlConnection['boundStatements'] = async (ms) => {
    await run(statementBound(isMariaDb, ms));
    boundMs = ms;
  };
  for (const setting of sessionSettings(LOCK_MS)) await run(setting);
  await boundStatements(CATALOGUE_MS);
  if (!isMariaDb) await runIfKnown(run, freshFigures);
  return {
    isMariaDb,
    rows,
    each: (statement, onRow) => each(statement, true, (row) => onRow(row as Value[])),
    run,
    boundStatements,
    close: () => connection.destroy(),
  };
}

const UNKNOWN_VARIABLE = 1193;

async function runIfKnown(run: MysqlConnection['run'], setting: Statement): Promise<void> {
  try {
    await run(setting);
  } catch (error) {
    if (!isMysqlError(error) || error.errno !== UNKNOWN_VARIABLE) throw error;
  }
}
