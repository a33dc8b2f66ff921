import type { Connector, SourceFamily } from '../connectors/connector.ts';
import { findConnector, type SourceParts } from '../integrations/connector-for.ts';
import { secretsOf } from '../integrations/source-instances.ts';
import type { TenantId } from '../kernel/ids.ts';
import { UnitFailure } from '../work/failure.ts';

/** Far more than the pairs of tenant and family that one process serves at a time. */
const MAX_KEPT = 500;

/**
 * Returns connectors for work units. Each connector is kept, because the following pages of a listing use what it has
 * cached. If there are too many, the oldest is dropped, and the next listing of its scope starts again. So is one whose
 * secrets have changed. Throws `UnitFailure` if the source is not configured: a retry would not help.
 */
export function keptConnectors(parts: SourceParts): (tenantId: TenantId, family: SourceFamily) => Connector {
  const kept = new Map<string, { connector: Connector; secrets: string }>();
  return (tenantId, family) => {
    const key = `${family} ${tenantId}`;
    const secrets = secretsOf(parts.config, family);
    const known = kept.get(key);
    if (known?.secrets === secrets) return known.connector;
    const connector = findConnector(parts, tenantId, family, 'background');
    if ('missing' in connector) throw new UnitFailure('policy_denied', 'source_not_configured');
    kept.set(key, { connector, secrets });
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return connector;
  };
}
