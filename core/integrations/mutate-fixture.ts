import type { Config } from '../config/config.ts';
import { applyFixtureAction, type FixtureRequest } from '../connectors/mock/fixture-action.ts';
import { itemOf } from '../connectors/mock/mock-connector.ts';
import type { Tx } from '../db/tx.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { updateFixture } from './fixture-store.sql.ts';

/** The item of an action with its new versions. All fields are null for an action on the scope. */
export type MutatedItem = {
  fileId: string | null;
  sourceVersion: string | null;
  contentVersion: string | null;
};

/**
 * Changes the fixture tenant as its people would.
 * Throws `blocked_capability` if the main connector reads another source, `not_found` if the scope or item does not
 * exist or no longer exists, and `validation_failed` for an invalid name or label.
 */
export async function mutateFixture(
  config: Config,
  tx: Tx,
  { scopeExternalId, fileId, ...request }: FixtureRequest & { scopeExternalId: string; fileId?: string },
  now: number,
): Promise<MutatedItem> {
  if (config.SVC_CONNECTOR_MODE !== 'mock') {
    throw new ServiceError(
      'blocked_capability',
      'The main connector does not read the fixture tenant: set SVC_CONNECTOR_MODE to mock.',
    );
  }
  const facts = { at: new Date(now).toISOString(), newExternalId: newId('itm', now) };
  const changed = await updateFixture(tx, scopeExternalId, fileId ?? null, (scope, item) =>
    applyFixtureAction(scope, item, request, facts),
  );
  if (changed === null) throw notFound();
  if (changed.item === null) return { fileId: null, sourceVersion: null, contentVersion: null };
  const { externalId, sourceVersion, contentVersion } = itemOf(changed.item);
  return { fileId: externalId, sourceVersion, contentVersion };
}
