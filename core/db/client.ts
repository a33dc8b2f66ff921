import { Client } from 'pg';
import { connectionFailure } from './errors.ts';

/** Opens one connection outside any pool, for migrations and for creating databases. It is closed when `fn` ends. */
export async function withClient<T>(url: string, fn: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: url,
    application_name: 'svc-admin',
    connectionTimeoutMillis: 10_000,
  });
  // If the server goes away, the running statement fails. Without this listener the event would end the process.
  client.on('error', () => undefined);
  await client.connect().catch((error: unknown) => {
    throw connectionFailure(error);
  });
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
    // Reports the original error, even if the connection no longer works.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
