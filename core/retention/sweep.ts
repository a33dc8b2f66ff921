import { appendAudit } from '../audit/append.sql.ts';
import { auditText } from '../audit/event.ts';
import { forEachTenant } from '../authz/for-each-tenant.ts';
import type { Config } from '../config/config.ts';
import { type Db, withEngineTx, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { KEPT } from './kept.sql.ts';
import { cutOff, removeSome, START, tenantsWithRows } from './oldest.sql.ts';
import { takeRemoved } from './removed.sql.ts';

type Parts = { db: Db; clock: Clock; config: Config };

/**
 * Removes what was kept long enough, the oldest first, until nothing is left, `budgetMs` has passed or `signal` aborts.
 * Each transaction looks at a bounded number of rows of one kind of one tenant; kinds and tenants take turns. What was
 * removed is counted in the same transaction, and audited at the end: one event for each kind, with counts alone. What a
 * crash left uncounted in the trail the next sweep audits. Concurrent and repeated runs are safe.
 */
export async function sweepRetention(
  parts: Parts,
  { signal, budgetMs }: { signal: AbortSignal; budgetMs: number },
): Promise<void> {
  const { db, clock, config } = parts;
  const now = clock();
  const deadline = now + budgetMs;
  const tenants = await withEngineTx(db, tenantsWithRows, signal);
  const left = new Map(tenants.map((tenantId) => [tenantId, KEPT.map((kept) => ({ kept, after: START }))]));
  try {
    while (left.size > 0 && !signal.aborted && clock() < deadline) {
      await forEachTenant([...left.keys()], signal, async (tenantId) => {
        const turns = left.get(tenantId) ?? [];
        // A tenant that fails once is left to the next sweep.
        left.delete(tenantId);
        const next: typeof turns = [];
        for (const { kept, after } of turns) {
          if (signal.aborted || clock() >= deadline) return;
          const before = cutOff(kept, config, now);
          const to = await withTx(db, { tenantId, mode: 'write', signal }, (tx) =>
            removeSome(tx, kept, { before, after, now }),
          );
          if (to !== null) next.push({ kept, after: to });
        }
        if (next.length > 0) left.set(tenantId, next);
      });
    }
  } finally {
    if (!signal.aborted) await forEachTenant(tenants, signal, (tenantId) => auditRemoved(parts, tenantId));
  }
}

const auditRemoved = ({ db, clock }: Parts, tenantId: TenantId): Promise<void> =>
  withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    const removed = await takeRemoved(tx);
    if (removed.length === 0) return;
    const now = clock();
    const source = { tenantId, principalId: null, correlationId: newId('cor', now), now };
    const event = ({ kind, count }: (typeof removed)[number]) =>
      auditText(source, {
        category: 'config',
        type: 'retention_swept',
        target: { kind: 'retention', id: kind },
        details: { removed: count },
      });
    await appendAudit(tx, removed.map(event));
  });
