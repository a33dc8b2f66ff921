import type { Client } from 'pg';
import { withClient } from '../../core/db/client.ts';
import type { TestDatabase } from './database.ts';
import { DEV } from './seed.ts';

/** The tenant that is a copy of the seeded one. */
export const IMAGE_TENANT = 'mirror';

/** Part of every free text of the copy. */
export const IMAGE_CANARY = 'Quaxolotl';

/** Distinguishes the ids of the copy from those of the original. */
const INFIX = 'zz_';

/** Larger than any identity value of a test. */
const IDENTITY_OFFSET = 1_000_000;

type Column = {
  table: string;
  name: string;
  type: string;
  identity: boolean;
  /** Whether no constraint limits its values. */
  free: boolean;
  /** Whether it is unique over all tenants. */
  unique: boolean;
};

/**
 * Copies every row of the seeded tenant, in all tables, to a second tenant: with other ids, and with a canary in
 * every text that no constraint limits.
 */
export async function makeTenantImage(database: TestDatabase): Promise<void> {
  await withClient(database.adminUrl, async (client) => {
    const columns = Map.groupBy(await tenantColumns(client), (column) => column.table);
    const prefixes = await idPrefixes(client, columns);
    // Without triggers, because references stay consistent and rows that triggers maintain are copied too.
    await client.query('begin; set local session_replication_role = replica');
    for (const [table, list] of columns) {
      const names = list.map((column) => client.escapeIdentifier(column.name));
      const values = list.map((column) => imageValue(client, column, prefixes));
      await client.query(
        `insert into ${client.escapeIdentifier(table)} (${names.join(', ')}) overriding system value
         select ${values.join(', ')} from ${client.escapeIdentifier(table)} where tenant_id = ${client.escapeLiteral(DEV)}`,
      );
    }
    await client.query('commit');
  });
}

async function tenantColumns(client: Client): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select c.relname as "table", a.attname as name, format_type(a.atttypid, null) as type,
            a.attidentity <> '' or a.attname = 'unit_id' as identity,
            not exists (select from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n' and a.attnum = any(k.conkey))
              and not exists (select from pg_index i where i.indrelid = c.oid and i.indisunique and a.attnum = any(i.indkey))
              as free,
            exists (select from pg_index i
                     where i.indrelid = c.oid and i.indisunique and a.attnum = any(i.indkey)
                       and not t.attnum = any(i.indkey)) as unique
       from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
       join pg_attribute t on t.attrelid = c.oid and t.attname = 'tenant_id'
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      order by c.relname, a.attnum`,
  );
  return rows;
}

/** The prefixes of the tenant's ids, such as `ast` and `dom`. */
async function idPrefixes(
  client: Client,
  columns: ReadonlyMap<string, readonly Column[]>,
): Promise<string[]> {
  const prefixes = new Set<string>();
  for (const [table, list] of columns) {
    for (const { name } of list.filter(({ name, type }) => type === 'text' && name.endsWith('_id'))) {
      const column = client.escapeIdentifier(name);
      const { rows } = await client.query<{ prefix: string }>(
        `select distinct split_part(${column}, '_', 1) as prefix from ${client.escapeIdentifier(table)}
          where tenant_id = $1 and ${column} ~ '^[a-z]{3,6}_'`,
        [DEV],
      );
      for (const { prefix } of rows) prefixes.add(prefix);
    }
  }
  return [...prefixes];
}

function imageValue(
  client: Client,
  { name, type, identity, free, unique }: Column,
  prefixes: readonly string[],
): string {
  const column = client.escapeIdentifier(name);
  if (name === 'tenant_id') return client.escapeLiteral(IMAGE_TENANT);
  if (identity) return `${column} + ${IDENTITY_OFFSET}`;
  // The hash of a secret, which nobody has for the copy.
  if (type === 'bytea' && unique) return `sha256(${column})`;
  if (!['text', 'text[]', 'jsonb'].includes(type)) return column;
  const renamed = `replace(regexp_replace(${column}::text, '\\m(${prefixes.join('|')})_', '\\1_${INFIX}', 'g'),
                           '"tenantId":"${DEV}"', '"tenantId":"${IMAGE_TENANT}"')`;
  if (type !== 'text') return `(${renamed})::${type}`;
  if (unique) return `case when ${renamed} = ${column} then ${column} || '${INFIX}' else ${renamed} end`;
  if (!free) return renamed;
  // JSON documents and ids must stay valid, so they get no canary.
  return `case when ${column} ~ '^[{[]' or ${renamed} <> ${column} then ${renamed} else ${column} || ' ${IMAGE_CANARY}' end`;
}
