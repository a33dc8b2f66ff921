import type { Config } from '../config.ts';
import type { Connector, SourceFamily } from '../connectors/connector.ts';
import type { Db } from '../db/tx.ts';
import { findConnector } from '../integrations/connector-for.ts';
import type { TenantId } from '../kernel/ids.ts';
import { UnitFailure } from '../work/failure.ts';

/** Far more than the pairs of tenant and family that a process serves in a while. */
const KEPT_MAX = 500;

/**
 * Connectors for units of work. Each is kept, since what it remembers of a walk serves the pages that follow. The oldest
 * goes when there are too many: the next walk of its scope starts anew. Throws `UnitFailure` where nothing reads the
 * source: to try again would not help before it is configured.
 */
export function keptConnectors(
  config: Config,
  db: Db,
): (tenantId: TenantId, family: SourceFamily) => Connector {
  const kept = new Map<string, Connector>();
  return (tenantId, family) => {
    const key = `${family} ${tenantId}`;
    const connector = kept.get(key) ?? findConnector(config, db, tenantId, family);
    if ('missing' in connector) throw new UnitFailure('policy_denied', 'source_not_configured');
    kept.set(key, connector);
    const [oldest] = kept.keys();
    if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
    return connector;
  };
}
