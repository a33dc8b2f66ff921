import type { AuditEntry } from '../audit/event.ts';
import type { MessageFamily } from '../connectors/message-source.ts';
import type { Tx } from '../db/tx.ts';
import { type SourceParts, sourceBlocked } from '../integrations/connector-for.ts';
import { findMessageSource, selectedEntries } from '../integrations/message-source-for.ts';
import { ServiceError } from '../kernel/errors.ts';
import { bounded } from '../kernel/list.ts';
import {
  beyondConfiguration,
  END_WITHIN_MS,
  MAX_SHOWN,
  notOfSource,
  type Selected,
  type Selection,
  selectionSet,
} from '../sources/selection.ts';
import { type Moment, momentOf } from '../work/moment.sql.ts';
import { DELETED_AT_ONCE, deleteSome } from './going.sql.ts';
import {
  beginEnd,
  type ConfiguredEntries,
  countSelection,
  endContainer,
  leftOut,
  lockFamily,
  notConfigured,
  notEnded,
  storeSelection,
  unknownContainers,
} from './selection.sql.ts';

/**
 * Selects the channels or mailboxes of a family that are synced, among those that the configuration selects, and does with
 * the messages of the others what the caller says. Nothing needs to be configured to select nothing. Throws
 * `blocked_capability` for what the configuration does not read.
 */
export async function selectContainers(
  parts: SourceParts,
  tx: Tx,
  family: MessageFamily,
  { scopeIds, unselected }: Selection,
  audit: (entry: AuditEntry) => void,
): Promise<Selected> {
  const now = momentOf(parts.clock);
  const configured = scopeIds?.length === 0 ? null : configuredEntries(parts, family);
  if (!(await lockFamily(tx, family)))
    throw new ServiceError('conflict', `The source was never synced: POST /api/${family}/sync.`);
  if (scopeIds !== null) {
    const unknown = await unknownContainers(tx, family, scopeIds);
    if (unknown.size > 0) throw notOfSource(scopeIds, unknown);
    const beyond = await notConfigured(tx, family, scopeIds, configured);
    if (beyond > 0) throw beyondConfiguration(family, beyond, `sync it again: POST /api/${family}/sync`);
  }
  await storeSelection(tx, family, scopeIds, configured, now);
  const ended =
    unselected === 'end' ? await endOthers(tx, family, configured, audit, now) : { scopes: 0, assets: 0 };
  const { selected, notSelected, messagesNotSelected } = await countSelection(tx, family, configured);
  const answer = {
    selected,
    notSelected,
    ended,
    kept: bounded(await leftOut(tx, family, configured, MAX_SHOWN + 1), MAX_SHOWN),
    assetsKept: messagesNotSelected,
    complete: unselected === 'keep' || messagesNotSelected === 0,
  };
  audit(selectionSet(family, unselected, answer));
  return answer;
}

function configuredEntries(parts: SourceParts, family: MessageFamily): ConfiguredEntries {
  const source = findMessageSource(parts, family);
  if ('missing' in source) throw sourceBlocked(family, source);
  const { mode } = source;
  return { mode, entries: mode === 'live' ? selectedEntries(parts.config, family) : null };
}

async function endOthers(
  tx: Tx,
  family: MessageFamily,
  configured: ConfiguredEntries | null,
  audit: (entry: AuditEntry) => void,
  now: Moment,
): Promise<Selected['ended']> {
  const until = performance.now() + END_WITHIN_MS;
  const ended = { scopes: 0, assets: 0 };
  for (const containerId of await notEnded(tx, family, configured)) {
    if (performance.now() >= until) break;
    await beginEnd(tx, containerId);
    let messages = 0;
    let batch: number;
    do {
      batch = await deleteSome(tx, containerId);
      messages += batch;
    } while (batch === DELETED_AT_ONCE && performance.now() < until);
    if (batch < DELETED_AT_ONCE) await endContainer(tx, containerId, now);
    ended.scopes++;
    ended.assets += messages;
    audit({
      category: 'config',
      type: 'message_container_ended',
      target: { kind: 'message_container', id: containerId },
      details: { family, messages },
    });
  }
  return ended;
}
