import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { StoredCheckpoint } from './checkpoints.sql.ts';
import type { ChainHead } from './verify.ts';

/** The roles that the login that owns the schema takes while it resumes a trail. */
type Role = 'svc_app' | 'svc_audit' | 'svc_provision' | 'svc_signer';

export const actAs = (tx: Tx, role: Role | 'owner'): Promise<unknown> =>
  tx.query(role === 'owner' ? sql`reset role` : sql`set local role ${sql.ident(role)}`);

/** Lets nobody append to the tenant's trail until the end of the transaction. As `svc_audit`. */
export const lockTrail = (tx: Tx): Promise<unknown> =>
  tx.query(sql`select from audit_heads where tenant_id = ${tx.tenantId} for update`);

/** The present hash of an event. Null if there is no such event. */
export async function hashOfEvent(tx: Tx, seq: number): Promise<string | null> {
  const [event] = await tx.query<{ hash: string }>(sql`
    select hash from audit_events where tenant_id = ${tx.tenantId} and seq = ${seq}`);
  return event?.hash ?? null;
}

/** Where a trail holds: its last event and its last checkpoint. */
export type Held = { head: ChainHead; checkpoint: StoredCheckpoint | null };

export type SetAside = {
  events: number;
  checkpoints: number;
  /** SHA-256 of the records, in hex. Null if there are none. */
  digest: string | null;
};

const TABLES = ['audit_events', 'audit_checkpoints', 'audit_set_aside'];

/**
 * Moves what follows the last event and checkpoint that hold to `audit_set_aside`. As the login that owns the schema. It
 * locks the tables until the end of the transaction.
 */
export async function setAside(tx: Tx, { head, checkpoint }: Held, now: number): Promise<SetAside> {
  const at = new Date(now);
  const ofTenant = sql`tenant_id = ${tx.tenantId}`;
  const number = checkpoint?.number ?? 0;
  // Row-level security and the triggers hold for the owner too.
  for (const table of TABLES) {
    await tx.query(sql`alter table ${sql.ident(table)} no force row level security`);
  }
  for (const table of TABLES) {
    await tx.query(sql`alter table ${sql.ident(table)} disable trigger ${sql.ident(`${table}_append_only`)}`);
  }
  const [moved] = await tx.query<SetAside>(sql`
    with events as (
      delete from audit_events where ${ofTenant} and seq > ${head.seq} returning seq, record, hash
    ), checkpoints as (
      delete from audit_checkpoints where ${ofTenant} and number > ${number}
      returning number, record, public_key, signature
    ), kept as (
      insert into audit_set_aside (tenant_id, set_aside_at, kind, number, record, hash, public_key, signature)
        select ${tx.tenantId}, ${at}::timestamptz, 'event', seq, record, hash, null, null from events
        union all
        select ${tx.tenantId}, ${at}::timestamptz, 'checkpoint', number, record, null, public_key, signature from checkpoints
      returning kind, number, record
    )
    select count(*) filter (where kind = 'event')::int as events,
           count(*) filter (where kind = 'checkpoint')::int as checkpoints,
           encode(sha256(convert_to(string_agg(record, E'\\n' order by kind, number), 'UTF8')), 'hex') as digest
      from kept`);
  for (const table of TABLES) {
    await tx.query(sql`alter table ${sql.ident(table)} enable trigger ${sql.ident(`${table}_append_only`)}`);
  }
  for (const table of TABLES) {
    await tx.query(sql`alter table ${sql.ident(table)} force row level security`);
  }
  return moved ?? { events: 0, checkpoints: 0, digest: null };
}

/** Says with which event the trail ends. As `svc_audit`. */
export const setHead = (tx: Tx, { seq, hash }: ChainHead): Promise<unknown> =>
  tx.query(sql`
    insert into audit_heads (tenant_id, seq, hash) values (${tx.tenantId}, ${seq}, ${hash})
    on conflict (tenant_id) do update set seq = excluded.seq, hash = excluded.hash`);
