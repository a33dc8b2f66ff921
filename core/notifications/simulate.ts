import { withTx } from '../db/tx.ts';
import { connectorFor } from '../integrations/connector-for.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { findScope } from '../sources/scopes.sql.ts';
import { clientStateOf } from './client-state.ts';
import { type Outcome, type ReceiveParts, receiveNotifications } from './receive.ts';
import type { Delivery } from './reconcile.ts';
import { forceMockSubscription } from './subscriptions.sql.ts';

/**
 * Sends a simulated notification of a scope to the receiver. It creates a mock subscription if there is none. Throws
 * `not_found`, `blocked_capability` (the source is not configured) and `conflict` (the scope is no longer selected).
 */
export async function simulateNotification(
  parts: ReceiveParts,
  tenantId: TenantId,
  scopeId: string,
  delivery: Delivery,
): Promise<Outcome & { subscriptionId: string }> {
  const { subscriptionId, externalId } = await withTx(parts.db, { tenantId, mode: 'write' }, async (tx) => {
    const scope = await findScope(tx, scopeId);
    if (scope === null) throw notFound();
    // The receiver would skip both cases as `no_scope`. An error is more useful in a simulation.
    connectorFor(parts, tenantId, scope.family);
    if (!scope.selected) {
      throw new ServiceError('conflict', 'This scope is no longer selected. Connect its source again.');
    }
    return forceMockSubscription(tx, scope.scopeId, delivery.now);
  });
  const clientState = clientStateOf(parts.config.SVC_SESSION_SECRET, subscriptionId);
  const [outcome] = await receiveNotifications(
    parts,
    [{ subscriptionId: externalId ?? '', clientState, changeType: 'updated' }],
    { source: 'simulated', eventAt: delivery.now },
    delivery,
  );
  if (outcome === undefined) throw new Error('The simulated notification was not processed');
  return { ...outcome, subscriptionId };
}
