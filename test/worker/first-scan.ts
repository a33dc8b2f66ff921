import { setTimeout as sleep } from 'node:timers/promises';
import { scanFamily } from '../../infra/local/first-scan.ts';
import { byDevelopmentSignIn } from '../../infra/local/sign-in-as.ts';
import type { Outcome } from './compared.ts';
import type { Ground } from './world.ts';

/** Connects the fixture tenant and scans it. Resolves when every scan has ended, or `signal` aborts. */
export const scanFixture = (url: string, signal: AbortSignal) =>
  scanFamily(byDevelopmentSignIn(url), 'm365', () => undefined, signal);

const LONGEST_SCAN_MS = 300_000;

/** What a scan leaves, without ids and times. */
const LEFT = {
  campaigns:
    'select kind, status, sum(units_completed)::int as completed, sum(units_dead)::int as dead from campaigns group by 1, 2',
  'dead letters': 'select retry_class, safe_diagnostic from dead_letters',
  assets: `select external_id, status, content_state, content_reason, format, label_state, label_name, risk_severity,
                  encode(content_hash, 'hex') as hash from assets`,
  candidates: `select external_id, domain_id, information_type_id, confidence, band, c.status
                 from candidates c join assets using (tenant_id, asset_id)`,
  findings: `select external_id, f.kind, severity, f.status
               from findings f join assets using (tenant_id, asset_id)`,
  placements: `select external_id, domain_id, information_type_id
                 from asset_placements join assets using (tenant_id, asset_id)`,
  'audited events':
    "select record::jsonb -> 'event' ->> 'action' as action, count(*)::int as times from audit_events group by 1",
};

/** Scans on both, and compares the rows that each scan has left. */
export async function compareFirstScans(
  worker: { url: string; ground: Ground },
  local: { url: string; ground: Ground },
): Promise<Outcome & { units: number }> {
  const both = [worker, local];
  await Promise.all(both.map(({ url }) => scanFixture(url, AbortSignal.timeout(LONGEST_SCAN_MS))));
  const differences: string[] = [];
  for (const [what, query] of Object.entries(LEFT)) {
    const [mine = [], others = []] = await Promise.all(
      both.map(async ({ ground }) => (await ground.query(query)).map((row) => JSON.stringify(row)).sort()),
    );
    const only = mine.filter((row) => !others.includes(row));
    const missing = others.filter((row) => !mine.includes(row));
    if (mine.length !== others.length || only.length + missing.length > 0)
      differences.push(`${what}: ${mine.length} and ${others.length} rows; ${only[0]} and ${missing[0]}`);
  }
  const [sum] = await worker.ground.query<{ units: number }>(
    'select sum(units_completed + units_dead)::int as units from campaigns',
  );
  return { tried: Object.keys(LEFT).length, differences, units: sum?.units ?? 0 };
}

/** Resolves when a scan is in the middle: units are leased, and more are due. */
export async function inTheMiddle({ query }: Ground): Promise<void> {
  const counted = `select count(*) filter (where status = 'leased')::int as leased,
                          count(*) filter (where status = 'completed')::int as completed from work_units`;
  const signal = AbortSignal.timeout(LONGEST_SCAN_MS);
  for (;;) {
    signal.throwIfAborted();
    const [units] = await query<{ leased: number; completed: number }>(counted);
    if (units !== undefined && units.leased > 0 && units.completed > 20) return;
    await sleep(20);
  }
}
