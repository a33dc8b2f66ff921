import { type Principal, type Visibility, visibilityOf } from '../authz/principal.ts';
import { requireVisible } from '../authz/visible-asset.sql.ts';
import type { Tx } from '../db/tx.ts';
import { fingerprintOf } from '../detectors/fingerprints.ts';
import { builtInDetectors } from '../detectors/on-demand.ts';
import { isApprovedDomain } from '../governance/approved-domain.sql.ts';
import { loadEnabledDetectors } from '../governance/custom-detectors.sql.ts';
import { loadSettings } from '../governance/settings.sql.ts';
import { notFound, ServiceError, validationFailed } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { fingerprintKey } from '../signals/active-suppressions.sql.ts';
import type { Suppression, SuppressionTarget } from '../signals/suppression.ts';
import { audited, type By, shownSuppression } from './change-suppression.ts';
import { followSuppression } from './follow-suppression.ts';
import { noEffectOfNew } from './no-effect.ts';
import {
  MOST_DAYS,
  type NoEffect,
  type ShownSuppression,
  type SuppressionRequest,
} from './suppression-schema.ts';
import { countOpen, insertSuppression, isVisibleScope, nextVersion, sketchOf } from './suppressions.sql.ts';

const DAY_MS = 24 * 3_600_000;
/** Rules of a tenant that are proposed or active. Each asset is compared with those of its detectors. */
const MAX_OPEN = 200;

/**
 * Stores a rule, and says why it changes no asset now if so. It is active at once if the caller owns its domain, and
 * waits for another person otherwise. Throws `not_found`, `validation_failed` and `conflict` as `ruleOf`,
 * `validation_failed` if another domain governs the scope of a rule of one, and `conflict` if the rule exists or there
 * are too many.
 */
export async function proposeSuppression(
  tx: Tx,
  by: By,
  request: SuppressionRequest,
): Promise<{ suppression: ShownSuppression; noEffect: NoEffect | null }> {
  const { principal, now } = by;
  const rule = await ruleOf(tx, principal, request, now);
  // Before anything is locked.
  const noEffect = await noEffectOfNew(tx, principal, rule);
  if (noEffect?.reason === 'scope_of_another_domain')
    throw validationFailed([{ path: 'scopeId', message: noEffect.message }]);
  if ((await countOpen(tx)) >= MAX_OPEN)
    throw new ServiceError('conflict', `There are already ${MAX_OPEN} rules. Revoke one that is not needed.`);
  const needsApproval = !principal.ownedDomains.some((domainId) => domainId === rule.domainId);
  const fromVersion = needsApproval ? null : await nextVersion(tx);
  const isNew = await insertSuppression(
    tx,
    {
      rule,
      exampleAssetId: request.kind === 'template' ? request.exampleAssetId : null,
      reason: request.reason,
      needsApproval,
      proposedBy: principal.principalId,
      expiresAt: new Date(request.expiresAt),
      fromVersion,
    },
    now,
  );
  // Thrown, so that the version above is taken back.
  if (!isNew) throw new ServiceError('conflict', 'The same rule is already proposed or active.');
  const { suppressionId } = rule;
  if (fromVersion !== null)
    await followSuppression(tx, { suppressionId, version: fromVersion }, by.origin, now);
  const shown = await shownSuppression(tx, { kind: 'tenant' }, suppressionId);
  audited(by, fromVersion === null ? 'suppression_proposed' : 'suppression_declared', shown);
  return { suppression: shown, noEffect };
}

/**
 * The rule that a request asks for. Throws `not_found` if the caller may not see its scope or example,
 * `validation_failed` if it cannot be, and `conflict` if the tenant retains nothing that it could be applied to.
 */
export async function ruleOf(
  tx: Tx,
  principal: Principal,
  request: SuppressionRequest,
  now: number,
): Promise<Suppression> {
  const { detectorId, domainId = null } = request;
  refuseExpiry(request.expiresAt, now);
  await refuseDomain(tx, visibilityOf(principal, 'governance.suppression.create'), domainId);
  const family = await familyOf(tx, detectorId);
  if (family === null) throw validationFailed([{ path: 'detectorId', message: 'No such detector.' }]);
  const suppressionId = newId('sup', now);
  const target = await targetOf(tx, principal, request, { id: detectorId, family }, now);
  return { suppressionId, detectorId, domainId, ...target };
}

function refuseExpiry(expiresAt: string, now: number): void {
  const left = Date.parse(expiresAt) - now;
  if (left <= 0 || left > MOST_DAYS * DAY_MS)
    throw validationFailed([
      { path: 'expiresAt', message: `Must be in the future, and at most ${MOST_DAYS} days from now.` },
    ]);
}

async function refuseDomain(tx: Tx, reach: Visibility | null, domainId: string | null): Promise<void> {
  const mayName = (id: string) => reach?.kind === 'tenant' || reach?.domainIds.some((each) => each === id);
  if (
    domainId === null ? reach?.kind === 'tenant' : mayName(domainId) && (await isApprovedDomain(tx, domainId))
  )
    return;
  const message = domainId === null ? 'Name one of your domains.' : 'No such approved domain, or not yours.';
  throw validationFailed([{ path: 'domainId', message }]);
}

async function familyOf(tx: Tx, detectorId: string) {
  const builtIn = (await builtInDetectors()).find(({ id }) => id === detectorId);
  if (builtIn !== undefined) return builtIn.family;
  const own = await loadEnabledDetectors(tx);
  return own.some((detector) => detector.detectorId === detectorId) ? 'custom' : null;
}

async function targetOf(
  tx: Tx,
  principal: Principal,
  request: SuppressionRequest,
  detector: Parameters<typeof fingerprintOf>[1],
  now: number,
): Promise<SuppressionTarget> {
  const { kind } = request;
  switch (kind) {
    case 'detector_in_scope': {
      const reach = visibilityOf(principal, 'asset.metadata.read');
      if (reach === null || !(await isVisibleScope(tx, reach, request.scopeId))) throw notFound();
      return { kind, scopeId: request.scopeId, folder: request.folder ?? null };
    }
    case 'template': {
      const reach = visibilityOf(principal, 'asset.metadata.read');
      if (reach === null) throw notFound();
      await requireVisible(tx, reach, request.exampleAssetId);
      const sketch = await sketchOf(tx, request.exampleAssetId);
      if (sketch === null)
        throw new ServiceError('conflict', 'The example has too little text to recognise others like it.');
      return { kind, ...sketch };
    }
    case 'value': {
      if ((await loadSettings(tx)).dataHandlingProfile === 'metadata_only')
        throw new ServiceError('conflict', 'The data-handling profile keeps no fingerprints of values.');
      return { kind, fingerprint: fingerprintOf(await fingerprintKey(tx, now), detector, request.value) };
    }
  }
}
