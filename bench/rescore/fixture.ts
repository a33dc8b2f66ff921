import type { Principal } from '../../core/authz/principal.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { connectorFor } from '../../core/integrations/connector-for.ts';
import type { PrincipalId, ScopeId } from '../../core/kernel/ids.ts';
import { decide } from '../../core/review/decide.ts';
import type { Runtime } from '../../core/runtime.ts';
import { registerScopes } from '../../core/sources/scopes.sql.ts';
import { DEVELOPMENT_TENANT_ID as tenantId } from '../../infra/local/seed.ts';
import { inventory } from '../support/inventory.ts';

/** One question in this many has an answer. */
const ANSWERED_EVERY = 40;

/** Who answers. */
export const OWNER: Principal = {
  tenantId,
  principalId: 'pri_helena_brandt' as PrincipalId,
  kind: 'person',
  authMode: 'dev',
  displayName: '',
  title: '',
  department: '',
  roles: ['domain_owner'],
  ownedDomains: [],
};

/** Scans the fixture tenant, and answers some of the questions. */
export async function scanFixture(runtime: Runtime): Promise<void> {
  const { db } = runtime;
  const { scopes } = await connectorFor(runtime, tenantId, 'm365').listScopes(null, runtime.stopping);
  const scopeIds = await withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    await registerScopes(tx, 'm365', 'mock', scopes, Date.now());
    const rows = await tx.query<{ scopeId: ScopeId }>(
      sql`select scope_id as "scopeId" from scopes where tenant_id = ${tenantId}`,
    );
    return rows.map(({ scopeId }) => scopeId);
  });
  for (const scopeId of scopeIds) await inventory(runtime, tenantId, scopeId);
  await withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    const asked = await tx.query<{ candidateId: string }>(sql`
      select candidate_id as "candidateId" from candidates
       where tenant_id = ${tenantId} and status = 'pending' order by candidate_id`);
    const by = {
      ...{ principal: OWNER, visibility: { kind: 'tenant' as const } },
      ...{ correlationId: 'bench', audit: () => undefined },
    };
    const answer = { decision: 'mine' as const, trainingEligible: true };
    for (const [nth, { candidateId }] of asked.entries()) {
      if (nth % ANSWERED_EVERY === 0) await decide(tx, by, candidateId, answer, Date.now());
    }
  });
  // Related assets are scored again.
  await runtime.worker.drain(600_000, runtime.stopping);
}
