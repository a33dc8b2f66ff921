import type { Connector } from '../connectors/connector.ts';
import { ConnectorError, type LabelObservation, type SourceItem } from '../connectors/connector.ts';
import { ServiceError, validationFailed } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { type ActionParts, labelPathOf } from './action-parts.ts';
import type { Preview, TargetState } from './action-schema.ts';
import { type Previewed, sameState } from './actions.sql.ts';
import type { Target } from './target.sql.ts';

/** A call to the source takes at most this. */
const CALL_TIMEOUT_MS = 10_000;

/** What an action is to bring about. A null label is none; the name of one is null where the catalog is without it. */
export type Desired =
  | { kind: 'task' }
  | { kind: 'label'; labelGuid: string | null; labelName: string | null };

/** An item as its source has it now, with the label that it bore then. */
export type LabelLook = { item: SourceItem; label: LabelObservation };

/** Null when the item is gone, `denied` where the source refuses to tell. Throws `ConnectorError`. */
export async function lookAtLabel(
  connector: Connector,
  { scopeExternalId, externalId }: Target,
  signal: AbortSignal,
): Promise<LabelLook | 'denied' | null> {
  const item = await connector.getItem(scopeExternalId, externalId, signal);
  if (item === null || item === 'denied') return item;
  return { item, label: await connector.getLabel(scopeExternalId, externalId, signal) };
}

export const labelState = (label: LabelObservation): TargetState =>
  label.state === 'labeled'
    ? { kind: 'label', labelState: 'labeled', labelGuid: label.labelGuid, labelName: label.labelName }
    : { kind: 'label', labelState: label.state, labelGuid: null, labelName: null };

const desiredState = (desired: Desired): TargetState =>
  desired.kind === 'task'
    ? { kind: 'task', exists: true }
    : {
        kind: 'label',
        labelState: desired.labelGuid === null ? 'unlabeled' : 'labeled',
        labelGuid: desired.labelGuid,
        labelName: desired.labelName,
      };

/**
 * The current and the desired state of a target, outside of any transaction. A label that could be written is read from
 * the source together with the item's version; of one that could not, what the last scan saw is told, whether or not a
 * catalog has the desired one: a source without labels has told none. Throws `validation_failed` for a label that could
 * be written and is not in the catalog, `conflict` where the source does not have or does not tell the item now.
 */
export async function previewOf(
  parts: ActionParts,
  tenantId: TenantId,
  target: Target,
  desired: Desired,
): Promise<Previewed> {
  const compare = (readFrom: Preview['readFrom'], currentState: TargetState): Preview => ({
    readAt: new Date(parts.clock()).toISOString(),
    readFrom,
    currentState,
    desiredState: desiredState(desired),
    changes: !sameState(currentState, desiredState(desired)),
  });
  if (desired.kind === 'task') {
    const preview = compare('service', { kind: 'task', exists: false });
    return { preview, sourceVersion: null, mode: null, blockedReason: null };
  }
  const path = labelPathOf(parts, tenantId, target);
  if ('blocked' in path) {
    const { labelState: seen, labelGuid, labelName } = target;
    const preview = compare('scan', { kind: 'label', labelState: seen, labelGuid, labelName });
    return { preview, sourceVersion: null, mode: null, blockedReason: path.blocked };
  }
  if (desired.labelGuid !== null && desired.labelName === null)
    throw validationFailed([{ path: 'desiredLabelGuid', message: 'No such label in the catalog.' }]);
  const look = await readNow(path.connector, target, parts.stopping);
  if (look === null) throw new ServiceError('conflict', 'The source no longer has the item.');
  if (look === 'denied') throw new ServiceError('conflict', 'The source refuses to tell of the item.');
  return {
    preview: compare('source', labelState(look.label)),
    sourceVersion: look.item.sourceVersion,
    mode: path.writer.mode,
    blockedReason: null,
  };
}

async function readNow(connector: Connector, target: Target, stopping: AbortSignal) {
  try {
    return await lookAtLabel(
      connector,
      target,
      AbortSignal.any([stopping, AbortSignal.timeout(CALL_TIMEOUT_MS)]),
    );
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    throw new ServiceError('conflict', 'The source cannot be read at the moment. Try again.');
  }
}
