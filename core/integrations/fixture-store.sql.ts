import type {
  Fixture,
  FixtureChange,
  FixtureItem,
  FixtureScope,
  FixtureStore,
} from '../connectors/mock/fixture-store.ts';
import { sql } from '../db/sql.ts';
import { type Db, type Tx, withTx } from '../db/tx.ts';
import type { TenantId } from '../kernel/ids.ts';

type ScopeRow = { externalId: string; name: string; changeSeq: number; cursorEpoch: number };
type ItemRow = { item: FixtureItem };

const toScope = (row: ScopeRow): FixtureScope => ({
  externalId: row.externalId,
  name: row.name,
  kind: 'site',
  changeSeq: row.changeSeq,
  cursorEpoch: row.cursorEpoch,
});

/** The fixture of one tenant in Postgres. Each call runs in its own transaction. */
export function createFixtureStore(db: Db, tenantId: TenantId): FixtureStore {
  const read = <T>(fn: (tx: Tx) => Promise<T>) => withTx(db, { tenantId, mode: 'read' }, fn);
  const items = async (tx: Tx, statement: ReturnType<typeof sql>) =>
    (await tx.query<ItemRow>(statement)).map((row) => row.item);

  return {
    scopes: () =>
      read(async (tx) => {
        const rows = await tx.query<ScopeRow>(sql`
          select external_id as "externalId", name, change_seq as "changeSeq", cursor_epoch as "cursorEpoch" from fixture_scopes
           where tenant_id = ${tenantId} order by external_id`);
        return rows.map(toScope);
      }),
    items: (scopeExternalId, after, limit) =>
      read((tx) =>
        items(
          tx,
          sql`select item from fixture_items
               where tenant_id = ${tenantId} and scope_external_id = ${scopeExternalId} and not deleted
                 and external_id > ${after ?? ''}
               order by external_id limit ${limit}`,
        ),
      ),
    item: (scopeExternalId, externalId) => read((tx) => findItem(tx, scopeExternalId, externalId)),
    changes: (scopeExternalId, afterSeq, limit) =>
      read((tx) =>
        items(
          tx,
          sql`select item from fixture_items
               where tenant_id = ${tenantId} and scope_external_id = ${scopeExternalId} and change_seq > ${afterSeq}
               order by change_seq limit ${limit}`,
        ),
      ),
    update: (scopeExternalId, externalId, change) =>
      withTx(db, { tenantId, mode: 'write' }, (tx) => updateFixture(tx, scopeExternalId, externalId, change)),
  };
}

/** `FixtureStore.update` within the caller's transaction. */
export async function updateFixture(
  tx: Tx,
  scopeExternalId: string,
  externalId: string | null,
  change: Parameters<FixtureStore['update']>[2],
): Promise<FixtureChange | null> {
  const [row] = await tx.query<ScopeRow>(sql`
    select external_id as "externalId", name, change_seq as "changeSeq", cursor_epoch as "cursorEpoch" from fixture_scopes
     where tenant_id = ${tx.tenantId} and external_id = ${scopeExternalId} for update`);
  if (row === undefined) return null;
  const item = externalId === null ? null : await findItem(tx, scopeExternalId, externalId);
  const changed = change(toScope(row), item);
  await storeFixture(tx, {
    scopes: [changed.scope],
    items: changed.item === null ? [] : [changed.item],
  });
  return changed;
}

async function findItem(tx: Tx, scopeExternalId: string, externalId: string): Promise<FixtureItem | null> {
  const [row] = await tx.query<ItemRow>(sql`
    select item from fixture_items
     where tenant_id = ${tx.tenantId} and scope_external_id = ${scopeExternalId} and external_id = ${externalId}`);
  return row?.item ?? null;
}

/** Inserts or replaces rows of the fixture. */
export async function storeFixture(tx: Tx, { scopes, items }: Fixture): Promise<void> {
  await tx.query(sql`
    insert into fixture_scopes (tenant_id, external_id, name, change_seq, cursor_epoch)
    select ${tx.tenantId}, * from unnest(
      ${scopes.map((scope) => scope.externalId)}::text[], ${scopes.map((scope) => scope.name)}::text[],
      ${scopes.map((scope) => scope.changeSeq)}::int[], ${scopes.map((scope) => scope.cursorEpoch)}::int[])
    on conflict (tenant_id, external_id) do update
      set name = excluded.name, change_seq = excluded.change_seq, cursor_epoch = excluded.cursor_epoch`);
  await tx.query(sql`
    insert into fixture_items (tenant_id, scope_external_id, external_id, change_seq, deleted, item)
    select ${tx.tenantId}, i ->> 'scopeExternalId', i ->> 'externalId', (i ->> 'changeSeq')::int,
           (i ->> 'deleted')::boolean, i
      from jsonb_array_elements(${sql.json(items)}::jsonb) as i
    on conflict (tenant_id, scope_external_id, external_id) do update
      set change_seq = excluded.change_seq, deleted = excluded.deleted, item = excluded.item`);
}
