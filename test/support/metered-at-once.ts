import type { Connector } from '../../core/connectors/connector.ts';
import type { Db } from '../../core/db/tx.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import type { Logger } from '../../core/observability/log.ts';
import { SourceMeter } from '../../core/scan/source-meter.ts';

/**
 * The connector as scans have it, for ceilings. A page or a content is stored as read before it is answered, and not some
 * time later, so that a test knows where a ceiling stops.
 */
export function meteredAtOnce(
  parts: { db: Db; clock: Clock; log: Logger },
  tenantId: TenantId,
  connector: Connector,
): Connector {
  const meter = new SourceMeter(parts);
  const metered = meter.metered(() => connector)(tenantId, connector.family);
  const stored = async <T>(answer: Promise<T>): Promise<T> => {
    const answered = await answer;
    await meter.store();
    return answered;
  };
  return {
    ...metered,
    listItems: (...args) => stored(metered.listItems(...args)),
    readContent: (...args) => stored(metered.readContent(...args)),
  };
}
