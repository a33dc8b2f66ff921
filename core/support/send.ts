import { withAuditedTx } from '../audit/audited-tx.ts';
import { forEachTenant } from '../authz/for-each-tenant.ts';
import type { Config } from '../config/config.ts';
import { type Db, withEngineTx, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { licensedTenants } from '../licensing/licenses.sql.ts';
import type { Logger } from '../observability/log.ts';
import { momentOf } from '../work/moment.sql.ts';
import { listScanners, type ScannerView } from '../work/scanners.sql.ts';
import { telemetryFacts } from './facts.ts';
import { telemetryPayload, telemetryText } from './payload.ts';
import { unsentBecause } from './status.ts';
import {
  holdTelemetryChoice,
  keepPayload,
  noteOutcome,
  type SendingOutcome,
  telemetryChoice,
} from './telemetry.sql.ts';

const TIMEOUT_MS = 10_000;

type Parts = { config: Config; db: Db; clock: Clock; log: Logger; stopping: AbortSignal };

/**
 * Sends the telemetry of each tenant whose terms ask for it, to the configured address, once a day (UTC) at most.
 * Nothing is sent twice: a payload that did not arrive is not repeated. Concurrent runs are safe.
 */
export async function sendTelemetry(parts: Parts): Promise<void> {
  const { config, db, clock, stopping } = parts;
  const address = config.SVC_TELEMETRY_URL;
  if (address === undefined) return;
  const fleet = await withEngineTx(db, (tx) => listScanners(tx, momentOf(clock)), stopping);
  await forEachTenant(await licensedTenants(db, stopping), stopping, (tenantId) =>
    sendOf(parts, address, tenantId, fleet),
  );
}

async function sendOf(
  { config, db, clock, log, stopping }: Parts,
  address: string,
  tenantId: TenantId,
  fleet: readonly ScannerView[],
): Promise<void> {
  const now = clock();
  const kept = await withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    await holdTelemetryChoice(tx);
    if ((await unsentBecause(tx, config, await telemetryChoice(tx), now)) !== null) return null;
    const payload = telemetryText(telemetryPayload(await telemetryFacts(tx, config, fleet, now), now));
    const id = await keepPayload(tx, payload, now);
    return id === null ? null : { id, payload };
  });
  if (kept === null) return;
  const outcome = await post(address, kept.payload, stopping);
  const correlationId = newId('cor', now);
  await withAuditedTx(
    db,
    { tenantId, principalId: null, correlationId, now: clock() },
    async (tx, events) => {
      await noteOutcome(tx, kept.id, outcome);
      events.push({
        category: 'config',
        type: 'telemetry_sent',
        target: { kind: 'telemetry', id: kept.id },
        details: { outcome },
      });
    },
  );
  if (outcome === 'accepted') log.info('telemetry_sent', { tenantId, correlationId });
  else log.warn('telemetry_not_accepted', { tenantId, correlationId });
}

/** Sends the bytes, follows no redirect, and reads nothing of the answer but its status. */
async function post(address: string, payload: string, stopping: AbortSignal): Promise<SendingOutcome> {
  try {
    const { ok, status, body } = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: payload,
      redirect: 'manual',
      signal: AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await body?.cancel();
    if (ok) return 'accepted';
    return status >= 400 && status < 500 ? 'refused' : 'failed';
  } catch (error) {
    // The process ends, and whether the payload arrived is unknown.
    stopping.throwIfAborted();
    return error instanceof DOMException ? 'timeout' : 'unreachable';
  }
}
