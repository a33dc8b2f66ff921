import { Client, type ClientConfig } from 'pg';
import { untilAborted } from '../../abort.ts';
import { CATALOGUE_MS, CONNECT_MS, type SqlEngine, type SqlTarget } from '../engine.ts';
import { connectFailureOf } from './failure.ts';
import { createPostgresSession } from './postgres-session.ts';

/** The server ends a statement at its bound. This is for a server that does not answer any more. */
const NO_ANSWER_MS = CATALOGUE_MS + 5_000;

/** Postgres 14 and later, and what speaks its protocol and has its catalogue. */
export const postgresEngine: SqlEngine = {
  connect: async (target, signal) => {
    const client = new Client(configOf(target));
    // The statement that waits is rejected too. Without a listener the event would end the process.
    client.on('error', () => undefined);
    try {
      await untilAborted(signal, () => client.connect());
    } catch (error) {
      client.connection.stream.destroy();
      throw connectFailureOf(error);
    }
    return createPostgresSession(client, target.database);
  },
};

const configOf = ({ host, port, database, user, password, tls }: SqlTarget): ClientConfig => ({
  host,
  port,
  database,
  user,
  // Without a password the driver would take that of its environment, which is another one's.
  password: () => password,
  ssl: tls && { host, minVersion: 'TLSv1.2', rejectUnauthorized: true },
  application_name: 'data-governance',
  connectionTimeoutMillis: CONNECT_MS,
  query_timeout: NO_ANSWER_MS,
  keepAlive: true,
});
