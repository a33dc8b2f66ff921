import { Client } from 'pg';

/** One connection outside any pool, for migrations and the making of databases. Closed when `fn` ends. */
export async function withClient<T>(url: string, fn: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: url,
    application_name: 'svc-admin',
    connectionTimeoutMillis: 10_000,
  });
  // A server that goes away fails the statement under way; the event alone would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await fn(client);
  } finally {
    await client.end();
  }
}

/** Runs `fn` in a transaction on this connection: commits when it resolves, rolls back when it rejects. */
export async function inTransactionOf<T>(client: Client, fn: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    const value = await fn();
    await client.query('commit');
    return value;
  } catch (error) {
    // The error that ended the work is the one to tell, also when the connection is gone.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
