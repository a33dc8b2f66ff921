import type { Usage } from '../campaigns/holds.sql.ts';
import type { SourceFamily } from '../connectors/connector.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/** What was read of a scope, which has its id at the source. */
export type ReadOfScope = { family: SourceFamily; externalId: string; calls: number; bytes: number };

/** The same, with the ids of the scopes. What is no scope any more is left out. */
export const scopesOf = (tx: Tx, read: readonly ReadOfScope[]): Promise<Usage[]> =>
  tx.query<Usage>(sql`
    select s.scope_id as "scopeId", s.family, sum(n.calls)::float8 as calls, sum(n.bytes)::float8 as bytes
      from unnest(${read.map(({ family }) => family)}::text[], ${read.map(({ externalId }) => externalId)}::text[],
                  ${read.map(({ calls }) => calls)}::bigint[], ${read.map(({ bytes }) => bytes)}::bigint[])
        as n (family, external_id, calls, bytes)
      join scopes s on s.tenant_id = ${tx.tenantId} and s.family = n.family and s.external_id = n.external_id
     group by s.scope_id, s.family`);
