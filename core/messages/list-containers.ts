import { appendAudit } from '../audit/append.sql.ts';
import { type AuditSource, auditText } from '../audit/event.ts';
import { ScopeRefused } from '../connectors/connector.ts';
import type { MessageSource, RefusedContainer } from '../connectors/message-source.ts';
import { displayText } from '../kernel/display-text.ts';
import { momentOf } from '../work/moment.sql.ts';
import {
  refuseEntries,
  registerContainers,
  removeUnselected,
  type Unselected,
  unselectOthers,
} from './containers.sql.ts';
import { nextSyncInMs, RETRY_MS } from './due.ts';
import { endListing, leaseListing } from './syncs.sql.ts';
import { type SyncParts, write } from './turn.ts';

/** Messages that are deleted in one transaction. */
const DELETED_AT_ONCE = 1_000;

/** What lists containers. */
export type Lister = Pick<MessageSource, 'family' | 'mode' | 'listContainers'>;

/**
 * `removed`: containers that are no longer selected, with the messages that they had. `denied`: if the source denies the
 * messages of one that is selected.
 */
export type Listing = {
  refused: readonly RefusedContainer[];
  removed: Unselected[];
  denied: ScopeRefused | null;
};

/**
 * Lists the containers that are selected now, registers them, and removes the others with their messages. Null if it is
 * not due, or another process does it. What is not removed by `until` is removed by the next listing, which is due then.
 */
export async function listContainers(
  parts: SyncParts,
  audit: Pick<AuditSource, 'tenantId' | 'principalId' | 'correlationId'>,
  source: Lister,
  until: number,
  signal: AbortSignal,
): Promise<Listing | null> {
  const { family } = source;
  const { tenantId } = audit;
  const now = () => momentOf(parts.clock);
  if (!(await write({ parts, tenantId }, (tx) => leaseListing(tx, family, now())))) return null;
  const daily = nextSyncInMs(parts.config, `${tenantId} ${family}`, parts.clock());
  let nextInMs = RETRY_MS;
  try {
    const { containers, refused } = await source.listContainers(signal);
    const going = await write({ parts, tenantId }, async (tx) => {
      const shown = containers.map(({ name, groupName, ...container }) => ({
        ...container,
        name: displayText(name),
        groupName: groupName === null ? null : displayText(groupName),
      }));
      const gone = await unselectOthers(tx, source, {
        externalIds: containers.map(({ externalId }) => externalId),
        refusedEntries: refused.map(({ name }) => name),
      });
      await registerContainers(tx, source, shown, now());
      await refuseEntries(tx, family, refused, { inMs: daily }, now());
      const unselected = gone.filter(({ isNew }) => isNew);
      const at = { ...audit, now: parts.clock() };
      await appendAudit(
        tx,
        unselected.map((container) => auditText(at, unselectedEvent(family, container))),
      );
      return gone;
    });
    const isRemoved = await removeAll(parts, tenantId, going, until, signal);
    nextInMs = isRemoved ? daily : 0;
    const denies = ({ name, reason }: RefusedContainer) =>
      reason === 'denied' && containers.some(({ entry }) => entry === name);
    return {
      refused,
      removed: going.map(({ isNew: _, ...container }) => container),
      denied: refused.some(denies) ? new ScopeRefused('denied', 'messages_denied') : null,
    };
  } finally {
    await write({ parts, tenantId }, (tx) => endListing(tx, family, nextInMs, now()));
  }
}

const unselectedEvent = (family: string, { containerId, messages }: Unselected) => ({
  category: 'config' as const,
  type: 'message_container_removed',
  target: { kind: 'message_container', id: containerId },
  details: { family, messages },
});

async function removeAll(
  parts: SyncParts,
  tenantId: AuditSource['tenantId'],
  containers: readonly Unselected[],
  until: number,
  signal: AbortSignal,
): Promise<boolean> {
  for (const { containerId } of containers) {
    for (let isGone = false; !isGone; ) {
      if (parts.clock() >= until || signal.aborted) return false;
      isGone = await write({ parts, tenantId }, (tx) => removeUnselected(tx, containerId, DELETED_AT_ONCE));
    }
  }
  return true;
}
