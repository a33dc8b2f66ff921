import type { Connector } from '../connectors/connector.ts';
import { ConnectorError, type LabelObservation, type SourceItem } from '../connectors/connector.ts';
import { withTx } from '../db/tx.ts';
import { ServiceError, validationFailed } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { type ActionParts, labelPathOf } from './action-parts.ts';
import type { Preview, TargetState } from './action-schema.ts';
import { type Previewed, sameState } from './actions.sql.ts';
import { isWeakerLabel, type Target } from './target.sql.ts';

/** Timeout of a call to the source. */
const CALL_TIMEOUT_MS = 10_000;

/**
 * The state that an action shall bring about. `labelGuid` null removes the label. `labelName` is null if the catalog
 * does not list it.
 */
export type Desired =
  | { kind: 'task' }
  | { kind: 'label'; labelGuid: string | null; labelName: string | null };

/** An item and its label, as the source reports them now. */
export type LabelLook = { item: SourceItem; label: LabelObservation };

/**
 * Reads an item and its label. Null if the item no longer exists, `denied` if the source denies access. Throws
 * `ConnectorError`.
 */
export async function lookAtLabel(
  connector: Connector,
  { scopeExternalId, externalId }: Target,
  signal: AbortSignal,
): Promise<LabelLook | 'denied' | null> {
  const item = await connector.getItem(scopeExternalId, externalId, signal);
  if (item === null || item === 'denied') return item;
  const label = await connector.getLabel(scopeExternalId, externalId, signal);
  if (label === 'denied') throw new ConnectorError('transient', 'label_unanswered');
  return { item, label };
}

export const labelState = (label: LabelObservation): TargetState => {
  const { labelGuid, labelName } = label.state === 'labeled' ? label : { labelGuid: null, labelName: null };
  const elsewhere = label.state !== 'unknown' && (label.foreign ?? []).length > 0;
  return {
    kind: 'label',
    labelState: label.state,
    labelGuid,
    labelName,
    ...(elsewhere && { labeledElsewhere: true }),
  };
};

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
 * Compares the present and the desired state of a target. Call it outside of a transaction. If the label can be
 * written, its present state is read from the source, together with the item's version and what is known to prevent the
 * write. Otherwise it is the state of
 * the last scan, and the desired label is not checked against the catalog. Throws `validation_failed` if a writable
 * label is not in the catalog, and `conflict` if the source cannot be read or does not have the item.
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
  const look = await fromSource(parts, (signal) => lookAtLabel(path.connector, target, signal));
  if (look === null) throw new ServiceError('conflict', 'The source no longer has the item.');
  if (look === 'denied') throw new ServiceError('conflict', 'The source denies access to the item.');
  const preview = compare('source', labelState(look.label));
  const preventedBy = preview.changes
    ? await fromSource(parts, (signal) => path.writer.preventionOf(target, signal))
    : null;
  return {
    preview: { ...preview, preventedBy, lowersLabel: await isLower(parts, tenantId, look.label, desired) },
    sourceVersion: look.item.sourceVersion,
    mode: path.writer.mode,
    blockedReason: null,
  };
}

/** Asks a source for a preview. Throws `conflict` if it does not answer. */
async function fromSource<T>(
  { stopping }: ActionParts,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await ask(AbortSignal.any([stopping, AbortSignal.timeout(CALL_TIMEOUT_MS)]));
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    throw new ServiceError('conflict', 'The source cannot be read at the moment. Try again later.');
  }
}

/** Whether an action takes a label away or replaces it by a weaker one of the catalog. */
const isLower = async (
  { db }: ActionParts,
  tenantId: TenantId,
  present: LabelObservation,
  { labelGuid }: { labelGuid: string | null },
): Promise<boolean> =>
  present.state === 'labeled' &&
  (labelGuid === null ||
    withTx(db, { tenantId, mode: 'read' }, (tx) => isWeakerLabel(tx, labelGuid, present.labelGuid)));
