import { hash } from 'node:crypto';
import { Client } from 'pg';

const BEGIN = (tenantId: string, mode: string) =>
  `begin ${mode}; set local role svc_app; set local svc.tenant_id = '${tenantId}';
   set local statement_timeout = 30000; set local lock_timeout = 10000;
   set local idle_in_transaction_session_timeout = 15000`;
const APPEND = { name: 'append', text: 'select audit_append($1)' };

export async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // Stopping the server ends the running statement. Without a listener, this event would end the process before its
  // cleanup.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** The peer of an append within a change: the same statements without the service's code. */
export async function appendInChange(
  client: Client,
  { tenantId, principalId, text }: { tenantId: string; principalId: string; text: string },
): Promise<void> {
  await client.query(BEGIN(tenantId, 'isolation level read committed read write'));
  await client.query({
    name: 'change',
    text: 'update principals set last_sign_in_at = $1 where tenant_id = $2 and principal_id = $3',
    values: [new Date(), tenantId, principalId],
  });
  await client.query({ ...APPEND, values: [[text]] });
  await client.query('commit');
}

/** Sets the tenant for the session instead of each transaction, so that a group is a single statement. */
export async function becomeTenant(client: Client, tenantId: string): Promise<void> {
  await client.query('set role svc_app');
  await client.query(`set svc.tenant_id = '${tenantId}'`);
}

/** The peer of a group: one statement that commits by itself. */
export async function appendGroup(client: Client, texts: readonly string[]): Promise<void> {
  await client.query({ ...APPEND, values: [texts] });
}

/** The peer of the verification: selects all rows and hashes each. Returns their number. */
export async function hashRows(client: Client, tenantId: string): Promise<number> {
  const { rows } = await client.query<{ record: string; hash: string }>({
    name: 'rows',
    text: 'select tenant_id, seq, record, hash from audit_events where tenant_id = $1 order by seq',
    values: [tenantId],
  });
  for (const row of rows) {
    if (hash('sha256', row.record) !== row.hash) throw new Error('A hash does not match');
  }
  return rows.length;
}
