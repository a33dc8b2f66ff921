import { withAuditedTx } from '../audit/audited-tx.ts';
import type { AuditSource } from '../audit/event.ts';
import { ConnectorError, type ScopeRefused } from '../connectors/connector.ts';
import type { MessageSource } from '../connectors/message-source.ts';
import { bounded } from '../kernel/list.ts';
import { momentOf } from '../work/moment.sql.ts';
import { coverageOf, leaseContainer } from './containers.sql.ts';
import { type Listing, listContainers } from './list-containers.ts';
import { isOfSource, syncContainer } from './sync-container.ts';
import type { Synced } from './sync-schema.ts';
import { requestSync } from './syncs.sql.ts';
import { noMessages, type SyncParts, type Tally, write } from './turn.ts';

/** A person waits for the answer. */
const ROUND_MS = 15_000;
/** The longest that a call to the source, or the messages of one page, may take beyond that. */
const CUT_OFF_MS = 25_000;
const PAGES_A_TURN = 20;
const MAX_LISTED = 200;

type Round = {
  parts: SyncParts;
  audit: Pick<AuditSource, 'tenantId' | 'principalId' | 'correlationId'>;
  source: MessageSource;
  until: number;
  signal: AbortSignal;
  tally: Tally;
};
type RoundEnd = { listing: Listing | null; interrupted: ConnectorError | null; denied: ScopeRefused | null };

/**
 * Begins a sync of a family, or goes on with the one that is under way, for a bounded time. Other processes go on with
 * containers of their own. Throws what the source answered where it denies the messages of a container: what was read
 * before is stored, and so is what the other containers have.
 */
export async function syncFamily(
  parts: SyncParts,
  audit: Round['audit'],
  source: MessageSource,
  stopping: AbortSignal,
): Promise<Synced> {
  const { tenantId } = audit;
  const { family, mode } = source;
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(CUT_OFF_MS)]);
  const round = { parts, audit, source, signal, until: parts.clock() + ROUND_MS, tally: noMessages() };
  await write({ parts, tenantId }, (tx) => requestSync(tx, family, momentOf(parts.clock)));
  const { listing, interrupted, denied } = await runRound(round);
  const at = { ...audit, now: parts.clock() };
  const answer = await withAuditedTx(parts.db, at, async (tx, events) => {
    const { containers, ...states } = await coverageOf(tx, family, momentOf(parts.clock));
    const complete = listing !== null && states.left === 0 && interrupted === null;
    events.push({
      category: 'scan',
      type: 'messages_synced',
      target: { kind: 'source_family', id: family },
      details: {
        ...round.tally,
        ...states,
        containers,
        complete,
        mode,
        removed: listing?.removed.length ?? 0,
        entriesRefused: listing?.refused.length ?? 0,
        interrupted: interrupted?.retryClass ?? null,
      },
    });
    return { complete, containers: { total: containers, ...states } };
  });
  if (denied !== null) throw denied;
  return {
    ...answer,
    mode,
    interrupted: interrupted?.retryClass ?? null,
    messages: round.tally,
    removed: bounded(
      (listing?.removed ?? []).map(({ name, messages }) => ({ name, messages })),
      MAX_LISTED,
    ),
    refused: bounded(
      (listing?.refused ?? []).map(({ name, reason }) => ({ entry: name, reason })),
      MAX_LISTED,
    ),
  };
}

async function runRound(round: Round): Promise<RoundEnd> {
  const { parts, audit, source, until, signal } = round;
  try {
    const listing = await listContainers(parts, audit, source, until, signal);
    const { interrupted, denied } = await syncDueContainers(round);
    return { listing, interrupted, denied: denied ?? listing?.denied ?? null };
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    return { listing: null, interrupted: error, denied: null };
  }
}

/**
 * One turn of a container after the other, the longest due first, until none is due or the source ends the round. One that
 * fails does not hold up the others.
 */
async function syncDueContainers(round: Round): Promise<Omit<RoundEnd, 'listing'>> {
  const { parts, audit, source, until, signal, tally } = round;
  const { tenantId } = audit;
  let denied: ScopeRefused | null = null;
  let interrupted: ConnectorError | null = null;
  while (parts.clock() < until && !signal.aborted) {
    const leased = await write({ parts, tenantId }, (tx) =>
      leaseContainer(tx, [source], momentOf(parts.clock)),
    );
    if (leased === null) break;
    const end = await syncContainer({
      parts,
      tenantId,
      source,
      leased,
      tally,
      until,
      pages: PAGES_A_TURN,
      signal,
    });
    if (end.kind === 'refused' && end.error.reason === 'denied') denied ??= end.error;
    if (end.kind !== 'cut_off') continue;
    interrupted ??= end.error;
    if (isOfSource(end.error)) break;
  }
  return { interrupted, denied };
}
