import { forEachTenant } from '../authz/for-each-tenant.ts';
import { ConnectorError } from '../connectors/connector.ts';
import type { MessageFamily, MessageSource } from '../connectors/message-source.ts';
import { withEngineTx } from '../db/tx.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { MESSAGE_FAMILIES } from '../kernel/vocabulary.ts';
import { momentOf } from '../work/moment.sql.ts';
import { leaseContainer } from './containers.sql.ts';
import { type Lister, listContainers } from './list-containers.ts';
import { isOfSource, syncContainer } from './sync-container.ts';
import { tenantsDue } from './syncs.sql.ts';
import { noMessages, type SyncParts, write } from './turn.ts';

/** A container that has more gives way to the others after as many pages. */
const PAGES_A_TURN = 20;
const LISTING_WITHIN_MS = 50_000;
/** The messages of one page may take as long beyond the budget. What was read of them is stored. */
const CUT_OFF_MS = 180_000;

/** The source of a family. Null if it is not configured. With `nothing_selected`, what is stored of it goes. */
export type MessageSourceLookup = (
  tenantId: TenantId,
  family: MessageFamily,
) => MessageSource | 'nothing_selected' | null;

/**
 * Goes on with syncs, and begins those that are due, until none is left or `budgetMs` has passed. Tenants take turns, and
 * so do the containers of each. Concurrent runs share the containers.
 */
export async function syncDue(
  parts: SyncParts,
  sourceOf: MessageSourceLookup,
  { signal, budgetMs }: { signal: AbortSignal; budgetMs: number },
): Promise<void> {
  const until = parts.clock() + budgetMs;
  const correlationId = newId('cor', parts.clock());
  let tenants = await withEngineTx(parts.db, (tx) => tenantsDue(tx, momentOf(parts.clock)), signal);
  const sources = new Map<TenantId, MessageSource[]>();
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(budgetMs + CUT_OFF_MS)]);
  while (tenants.length > 0 && !signal.aborted && parts.clock() < until) {
    const next: TenantId[] = [];
    await forEachTenant(tenants, signal, async (tenantId) => {
      if (parts.clock() >= until) return;
      const known = sources.get(tenantId);
      const turn = { parts, tenantId, correlationId, until, signal: bounded };
      const readable = known ?? (await listDue(turn, sourceOf));
      sources.set(tenantId, readable);
      if (await syncOne(turn, readable)) next.push(tenantId);
    });
    tenants = next;
  }
}

type TenantTurn = {
  parts: SyncParts;
  tenantId: TenantId;
  correlationId: string;
  until: number;
  signal: AbortSignal;
};

/** The sources that can be read. */
async function listDue(
  { parts, tenantId, correlationId, until, signal }: TenantTurn,
  sourceOf: MessageSourceLookup,
): Promise<MessageSource[]> {
  const sources = MESSAGE_FAMILIES.map((family) => ({ family, source: sourceOf(tenantId, family) }));
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(LISTING_WITHIN_MS)]);
  for (const { family, source } of sources) {
    if (source === null) continue;
    const lister = source === 'nothing_selected' ? nothingOf(family) : source;
    try {
      await listContainers(parts, { tenantId, principalId: null, correlationId }, lister, until, bounded);
    } catch (error) {
      if (!(error instanceof ConnectorError)) throw error;
      parts.log.warn('message_sync_failed', { tenantId, correlationId, retryClass: error.retryClass }, error);
    }
  }
  return sources.flatMap(({ source }) => (source === null || source === 'nothing_selected' ? [] : source));
}

const nothingOf = (family: MessageFamily): Lister => ({
  family,
  mode: 'live',
  listContainers: async () => ({ containers: [], refused: [] }),
});

/** Whether the tenant may have more that is due. A source that asks for a pause is left alone until the next run. */
async function syncOne(
  { parts, tenantId, until, signal }: TenantTurn,
  sources: readonly MessageSource[],
): Promise<boolean> {
  const leased = await write({ parts, tenantId }, (tx) => leaseContainer(tx, sources, momentOf(parts.clock)));
  const source = sources.find(({ family }) => family === leased?.family);
  if (leased === null || source === undefined) return false;
  const turn = { parts, tenantId, source, leased, tally: noMessages(), until, pages: PAGES_A_TURN, signal };
  const end = await syncContainer(turn);
  return end.kind !== 'cut_off' || !isOfSource(end.error);
}
