import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { compose, type Runtime } from '../../core/runtime.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type List = { items: { scopeId: string; externalId: string }[] };

const RULES = '/api/governance/suppressions';
const IBAN = 'DE15 7015 0000 0094 0634 18';

let database: TestDatabase;
let service: TestService;
/** Another process, which still has in memory what was in force at its last scan. */
let other: Runtime;
let admin: SignedIn;
let finance: SignedIn;
let governance: SignedIn;
let scopes: Map<string, string>;
let assetId: string;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10 });
  service = await startService(database);
  other = await compose(service.runtime().config, service.clock.now, { write: () => {} });
  admin = await service.signInAs(PERSONA.platformAdmin);
  finance = await service.signInAs(PERSONA.financeOwner);
  governance = await service.signInAs(PERSONA.governanceAdmin);
  await admin.post('/api/sources/connect', {});
  const { items } = (await admin.get<List>('/api/sources')).body;
  scopes = new Map(items.map(({ externalId, scopeId }) => [externalId, scopeId]));
  const content = `Invoice of the supplier\nPlease pay the amount due within the payment terms.\nIBAN: ${IBAN}`;
  for (const name of ['Own.txt', 'Copy.txt']) await change({ action: 'add', name, content });
  await scan('site-finance');
  await service.drain();
  const [row] = await database.inspect<{ id: string }>(
    sql`select asset_id as id from assets where tenant_id = ${DEV} and name = 'Own.txt'`,
  );
  assetId = row?.id ?? expect.unreachable();
});
afterAll(async () => {
  await other.close();
  await service.close();
  await database.drop();
});

const change = (body: object) =>
  admin.post('/api/dev/fixture/mutate', { scopeExternalId: 'site-finance', ...body });
const scan = (site: string) => admin.post('/api/scans', { scopeId: scopes.get(site), kind: 'inventory' });
const drainOther = () => other.worker.drain(Number.POSITIVE_INFINITY, new AbortController().signal);
/** The other process reads what is in force. The clock stands still, so it keeps it. */
async function fillOther(): Promise<void> {
  await scan('site-people');
  await drainOther();
}
const suppressed = async () =>
  (await finance.get<{ suppressedSignals: unknown[] }>(`/api/assets/${assetId}`)).body.suppressedSignals;
/** Moves the units that wait, and tells that there are some. */
const moveWaiting = async (by: string) => {
  const moved = await database.inspect(sql`
    update work_units set run_after = run_after + ${by}::interval
     where tenant_id = ${DEV} and status = 'pending' and kind = 'rescore_asset' returning unit_id`);
  expect(moved.length).toBeGreaterThan(0);
};
const versions = async () => {
  const rows = await database.inspect<{ version: number }>(
    sql`select distinct ensemble_version as version from asset_scorings where tenant_id = ${DEV}`,
  );
  return rows.map(({ version }) => version);
};

test('a scan by a process with former rules neither undoes a rule nor its end', async () => {
  await fillOther();
  const expiresAt = new Date(service.clock.now() + 86_400_000).toISOString();
  const rule = {
    kind: 'value',
    value: IBAN,
    detectorId: 'iban',
    domainId: 'dom_finance',
    reason: 'Ours',
    expiresAt,
  };
  const made = await finance.post<{ suppression: { suppressionId: string } }>(RULES, rule);
  await service.drain();
  expect(await suppressed()).toHaveLength(1);
  await scan('site-finance');
  await drainOther();
  expect(await suppressed()).toHaveLength(1);

  await finance.post(`${RULES}/${made.body.suppression.suppressionId}/revoke`, {});
  await service.drain();
  expect(await suppressed()).toHaveLength(0);
  await scan('site-finance');
  await drainOther();
  expect(await suppressed()).toHaveLength(0);
});

test('a rescore by a process with a former version replaces no newer score', async () => {
  await fillOther();
  const [former = 0] = await versions();
  // Has the copy scored again. The other process gets to that after the rescore of all.
  const [question] = await database.inspect<{ id: string }>(sql`
    select candidate_id as id from candidates
     where tenant_id = ${DEV} and asset_id = ${assetId} and domain_id = 'dom_finance' and status = 'pending' limit 1`);
  const path = `/api/review/candidates/${question?.id}/decision`;
  expect((await finance.post(path, { decision: 'mine' })).status).toBe(200);
  await moveWaiting('1 hour');
  await governance.post('/api/models/rescore', {});
  await service.drain();
  expect(await versions()).toEqual([former + 1]);

  await moveWaiting('-1 hour');
  await drainOther();
  expect(await versions()).toEqual([former + 1]);
});
