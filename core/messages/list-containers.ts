import { appendAudit } from '../audit/append.sql.ts';
import { type AuditSource, auditText } from '../audit/event.ts';
import { ConnectorError, ScopeRefused } from '../connectors/connector.ts';
import type { MessageContainer, MessageSource, RefusedContainer } from '../connectors/message-source.ts';
import { displayText } from '../kernel/display-text.ts';
import { momentOf } from '../work/moment.sql.ts';
import { LeaseLost, refuseEntries, registerContainers } from './containers.sql.ts';
import { nextSyncInMs, retryInMs } from './due.ts';
import { type Going, markGoing, removeGoing } from './going.sql.ts';
import { endListing, holdListing, type ListingLease, leaseListing } from './syncs.sql.ts';
import { type SyncParts, write } from './turn.ts';

/** What lists containers. */
export type Lister = Pick<MessageSource, 'family' | 'mode' | 'listContainers'>;

/**
 * `removed`: containers that are no longer selected, with the messages that they had. `denied`: if the source denies the
 * messages of one that is selected.
 */
export type Listing = {
  refused: readonly RefusedContainer[];
  removed: Going[];
  denied: ScopeRefused | null;
};

type Audited = Pick<AuditSource, 'tenantId' | 'principalId' | 'correlationId'>;

/**
 * Lists the containers that are selected now, registers them, and removes the others with their messages. Null if it is
 * not due, or another process does it. What is not removed by `until` is removed by the next listing, which is due then.
 */
export async function listContainers(
  parts: SyncParts,
  audit: Audited,
  source: Lister,
  until: number,
  signal: AbortSignal,
): Promise<Listing | null> {
  const { family } = source;
  const { tenantId } = audit;
  const now = () => momentOf(parts.clock);
  const lease = await write({ parts, tenantId }, (tx) => leaseListing(tx, family, now()));
  if (lease === null) return null;
  const daily = () => nextSyncInMs(parts.config, `${tenantId} ${family}`, parts.clock());
  let nextInMs = 0;
  try {
    const listed = await source.listContainers(signal);
    const { going, refusedEntries } = await storeListing(parts, audit, source, lease, listed, daily());
    if (await removeAll(parts, tenantId, going, until, signal)) nextInMs = daily();
    const { containers, refused } = listed;
    const denies = ({ name, reason }: RefusedContainer) =>
      reason === 'denied' && refusedEntries.has(name) && containers.some(({ entry }) => entry === name);
    return {
      refused,
      removed: going,
      denied: refused.some(denies) ? new ScopeRefused('denied', 'messages_denied') : null,
    };
  } catch (error) {
    if (error instanceof LeaseLost) return null;
    nextInMs = retryInMs(error instanceof ConnectorError ? error : null, daily());
    throw error;
  } finally {
    await write({ parts, tenantId }, (tx) => endListing(tx, lease, nextInMs, now()));
  }
}

type Listed = { containers: readonly MessageContainer[]; refused: readonly RefusedContainer[] };

/** Returns the containers that are to be removed, and the entries of those that are selected and refused. */
async function storeListing(
  parts: SyncParts,
  audit: Audited,
  source: Lister,
  lease: ListingLease,
  { containers, refused }: Listed,
  againInMs: number,
): Promise<{ going: Going[]; refusedEntries: ReadonlySet<string> }> {
  const { family } = source;
  const now = momentOf(parts.clock);
  return write({ parts, tenantId: audit.tenantId }, async (tx) => {
    await holdListing(tx, lease);
    const gone = await markGoing(tx, source, {
      externalIds: containers.map(({ externalId }) => externalId),
      refusedEntries: refused.map(({ name }) => name),
    });
    const shown = containers.map(({ name, groupName, ...container }) => ({
      ...container,
      name: displayText(name),
      groupName: groupName === null ? null : displayText(groupName),
    }));
    await registerContainers(tx, source, shown, now);
    const refusedEntries = await refuseEntries(tx, family, refused, { inMs: againInMs }, now);
    const at = { ...audit, now: parts.clock() };
    await appendAudit(
      tx,
      gone.filter(({ isNew }) => isNew).map((container) => auditText(at, removedEvent(family, container))),
    );
    return { going: gone.map(({ isNew: _, ...container }) => container), refusedEntries };
  });
}

const removedEvent = (family: string, { containerId, messages }: Going) => ({
  category: 'config' as const,
  type: 'message_container_removed',
  target: { kind: 'message_container', id: containerId },
  details: { family, messages },
});

async function removeAll(
  parts: SyncParts,
  tenantId: AuditSource['tenantId'],
  containers: readonly Going[],
  until: number,
  signal: AbortSignal,
): Promise<boolean> {
  for (const { containerId } of containers) {
    for (let isGone = false; !isGone; ) {
      if (parts.clock() >= until || signal.aborted) return false;
      isGone = await write({ parts, tenantId }, (tx) => removeGoing(tx, containerId));
    }
  }
  return true;
}
