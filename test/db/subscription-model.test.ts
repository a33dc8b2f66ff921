import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../core/config/config.ts';
import { ConnectorError } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import type { ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { expireSubscriptions } from '../../core/notifications/expire.ts';
import type { SubscriptionParts } from '../../core/notifications/notifier.ts';
import { renewDue } from '../../core/notifications/renew.ts';
import { resubscribe } from '../../core/notifications/resubscribe.ts';
import { completeSubscription, registerSubscription } from '../../core/notifications/subscribe.ts';
import {
  claimDueRenewals,
  lockSubscription,
  moveSubscription,
} from '../../core/notifications/subscriptions.sql.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { fixtureCompany } from '../../infra/local/fixture/fixture-company.ts';
import { makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { noGraph } from '../support/graph/no-graph.ts';
import { type NotifyingSource, notifyingSource } from '../support/notifying-source.ts';
import { propertyRuns } from '../support/property-runs.ts';

const MINUTE = 60_000;
const SCOPES = [0, 1, 2];

/** What the specification says of one scope, kept in the plainest way: minutes since the run began. */
type Expected = {
  status: 'active' | 'expiring' | 'expired' | 'error' | 'removed' | null;
  expiresAt: number;
  lastError: string | null;
  /** Until when somebody who never came back holds the right to call the source. */
  heldUntil: number;
  /** Until when no sweep asks the source. */
  waitUntil: number;
  /** Registrations that failed in a row. */
  failures: number;
};
type Model = { minute: number; scopes: Expected[]; renewed: number; failed: number };

type Real = {
  parts: SubscriptionParts;
  tenantId: TenantId;
  scopeIds: ScopeId[];
  source: NotifyingSource;
  start: number;
  clock: { now: number };
};
type Command = fc.AsyncCommand<Model, Real>;

const running = ({ status }: Expected) => status === 'active' || status === 'expiring';
const free = (model: Model, { heldUntil, waitUntil }: Expected) =>
  heldUntil <= model.minute && waitUntil <= model.minute;
const due = (model: Model) =>
  model.scopes.filter(
    (each) =>
      running(each) &&
      each.expiresAt > model.minute &&
      (each.expiresAt - model.minute < 20 || each.status === 'expiring') &&
      free(model, each),
  );
const isLost = ({ status }: Expected) => status === 'error' || status === 'removed' || status === 'expired';
const registers = (scope: Expected) => scope.status === null || isLost(scope);
const registered = (model: Model) => ({
  ...{
    status: 'active',
    expiresAt: model.minute + 60,
    lastError: null,
    heldUntil: 0,
    waitUntil: 0,
    failures: 0,
  },
});
/** The sweep waits 5 minutes, then twice as long each time, up to 6 hours. */
const refusedAgain = (model: Model, { failures }: Expected) => ({
  ...{ lastError: 'subscribe_failed', heldUntil: 0, failures: failures + 1 },
  waitUntil: model.minute + Math.min(5 * 2 ** failures, 360),
});

const inTenant = <T>({ parts, tenantId }: Real, fn: (tx: Tx) => Promise<T>) =>
  withTx(parts.db, { tenantId, mode: 'write' }, fn);

type StoredRow = {
  subscription_id: string;
  status: string | null;
  last_error: string | null;
  expires_at: Date | null;
};
const stored = async (real: Real): Promise<(StoredRow | null)[]> => {
  const rows = await inTenant(real, (tx) =>
    tx.query<StoredRow & { scope_id: ScopeId }>(sql`
      select scope_id, subscription_id, status, last_error, expires_at from change_subscriptions`),
  );
  expect(new Set(rows.map((row) => row.scope_id)).size).toBe(rows.length);
  return real.scopeIds.map((scopeId) => rows.find((row) => row.scope_id === scopeId) ?? null);
};

/** A command of which the model and the service tell the same afterwards. */
function command(
  name: string,
  possible: (model: Model) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): Command {
  return {
    check: possible,
    toString: () => name,
    run: async (model, real) => {
      await run(model, real);
      const rows = await stored(real);
      const shown = rows.map((row) => ({
        status: row?.status ?? null,
        lastError: row?.last_error ?? null,
        expiresAt: row?.expires_at ? (row.expires_at.getTime() - real.start) / MINUTE : 0,
      }));
      expect(shown).toEqual(
        model.scopes.map(({ status, lastError, expiresAt }) => ({ status, lastError, expiresAt })),
      );
      const { counters } = real.parts.metrics.snapshot();
      expect(counters['change_subscription_renewed:mock'] ?? 0).toBe(model.renewed);
      expect(counters.change_subscription_renew_failed ?? 0).toBe(model.failed);
    },
  };
}

const always = () => true;
const scopeOf = (model: Model, index: number): Expected => {
  const scope = model.scopes[index];
  if (scope === undefined) throw new Error('No such scope');
  return scope;
};
const register = ({ parts, tenantId, scopeIds }: Real, index: number) =>
  registerSubscription(parts, tenantId, scopeIds[index] ?? '');

const subscribe = (index: number, ends: 'well' | 'refused' | 'crash') =>
  command(
    `subscribe ${index} (${ends})`,
    // Who finds it held waits, which the other tests are about.
    (model) => !registers(scopeOf(model, index)) || scopeOf(model, index).heldUntil <= model.minute,
    async (model, real) => {
      const scope = scopeOf(model, index);
      const asked = real.source.subscribed.length;
      const expectsCall = registers(scope);
      if (ends === 'refused')
        real.source.before = () => Promise.reject(new ConnectorError('auth', 'http_status_401'));
      try {
        const registration = await register(real, index);
        if (ends === 'crash' && expectsCall) scope.heldUntil = model.minute + 1;
        else {
          await inTenant(real, (tx) => completeSubscription(tx, registration));
          if (expectsCall) {
            Object.assign(scope, registered(model));
          }
        }
      } catch (error) {
        expect(error).toMatchObject({
          code: 'conflict',
          message: expect.stringContaining('http_status_401'),
        });
        Object.assign(scope, refusedAgain(model, scope));
      } finally {
        real.source.before = async () => undefined;
      }
      expect(real.source.subscribed.length - asked).toBe(expectsCall ? 1 : 0);
    },
  );

const renew = (answer: 'granted' | 'refused' | { waitMinutes: number }) =>
  command(`renew (${JSON.stringify(answer)})`, always, async (model, real) => {
    if (answer !== 'granted') {
      const wait = answer === 'refused' ? null : answer.waitMinutes * MINUTE;
      real.source.before = () => Promise.reject(new ConnectorError('throttled', 'source_throttled', wait));
    }
    const signal = new AbortController().signal;
    const tally = await renewDue(real.parts, real.tenantId, { signal, budgetMs: MINUTE });
    real.source.before = async () => undefined;
    const expected = { renewed: 0, failed: 0, postponed: 0 };
    for (const scope of due(model)) {
      const again = model.minute + Math.max(1, typeof answer === 'object' ? answer.waitMinutes : 0);
      scope.heldUntil = 0;
      if (answer === 'granted') {
        expected.renewed++;
        model.renewed++;
        Object.assign(scope, {
          status: 'active',
          lastError: null,
          expiresAt: model.minute + 60,
          waitUntil: again,
          failures: 0,
        });
      } else if (answer !== 'refused' && again < scope.expiresAt) {
        expected.postponed++;
        scope.waitUntil = again;
      } else {
        expected.failed++;
        model.failed++;
        Object.assign(scope, { status: 'error', lastError: 'renew_failed', waitUntil: 0 });
      }
    }
    expect(tally).toEqual(expected);
  });

const again = (answer: 'granted' | 'refused') =>
  command(`register again (${answer})`, always, async (model, real) => {
    if (answer === 'refused')
      real.source.before = () => Promise.reject(new ConnectorError('permanent', 'gone'));
    const signal = new AbortController().signal;
    const waiting = model.scopes.filter((scope) => isLost(scope) && free(model, scope));
    const asked = real.source.subscribed.length;
    const count = await resubscribe(real.parts, real.tenantId, { signal, budgetMs: MINUTE });
    real.source.before = async () => undefined;
    expect(count).toBe(answer === 'granted' ? waiting.length : 0);
    expect(real.source.subscribed.length - asked).toBe(waiting.length);
    for (const scope of waiting)
      Object.assign(scope, answer === 'granted' ? registered(model) : refusedAgain(model, scope));
  });

const crashInRenewal = command('crash in renewal', always, async (model, real) => {
  const claimed = await inTenant(real, (tx) => claimDueRenewals(tx, 10, real.clock.now));
  expect(claimed).toHaveLength(due(model).length);
  for (const scope of due(model)) scope.heldUntil = model.minute + 1;
});

const expire = command('expire', always, async (model, real) => {
  const signal = new AbortController().signal;
  await expireSubscriptions(real.parts, { signal, budgetMs: MINUTE });
  for (const scope of model.scopes) {
    if (running(scope) && scope.expiresAt <= model.minute && scope.heldUntil <= model.minute) {
      Object.assign(scope, { status: 'expired', lastError: null });
    }
  }
});

const lifecycle = (index: number, event: 'reauthorizationRequired' | 'subscriptionRemoved') =>
  command(
    `${event} ${index}`,
    (model) => scopeOf(model, index).status !== null,
    async (model, real) => {
      const id = (await stored(real))[index]?.subscription_id ?? '';
      await inTenant(real, async (tx) => {
        const subscription = await lockSubscription(tx, id);
        if (subscription !== null) await moveSubscription(tx, subscription, event);
      });
      const scope = scopeOf(model, index);
      if (event === 'subscriptionRemoved') Object.assign(scope, { status: 'removed', lastError: null });
      else if (scope.status === 'active') scope.status = 'expiring';
    },
  );

const pass = (minutes: number, model: Model, { clock }: Real) => {
  model.minute += minutes;
  clock.now += minutes * MINUTE;
};

const advance = (minutes: number) =>
  command(`${minutes} min later`, always, async (model, real) => pass(minutes, model, real));

/** The ends of the windows, which no random walk meets often. */
const advanceTo = (index: number, minutesBeforeEnd: number) =>
  command(
    `${minutesBeforeEnd} min before ${index} ends`,
    (model) => scopeOf(model, index).expiresAt - minutesBeforeEnd > model.minute,
    async (model, real) =>
      pass(scopeOf(model, index).expiresAt - minutesBeforeEnd - model.minute, model, real),
  );

const index = fc.constantFrom(...SCOPES);
const commands = fc.commands(
  [
    fc.tuple(index, fc.constantFrom('well', 'well', 'refused', 'crash')).map((of) => subscribe(...of)),
    fc
      .constantFrom(
        'granted' as const,
        'granted' as const,
        'refused' as const,
        { waitMinutes: 0 },
        { waitMinutes: 7 },
      )
      .map(renew),
    fc.constantFrom('granted' as const, 'refused' as const).map(again),
    fc.constant(crashInRenewal),
    fc.constant(expire),
    fc
      .tuple(index, fc.constantFrom('reauthorizationRequired' as const, 'subscriptionRemoved' as const))
      .map((of) => lifecycle(...of)),
    fc.constantFrom(0.5, 1, 5, 40).map(advance),
    fc.tuple(index, fc.constantFrom(0, 0.5, 7, 20)).map((of) => advanceTo(...of)),
  ],
  { maxCommands: 60, size: 'max' },
);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

let runs = 0;
async function freshTenant(): Promise<{ model: Model; real: Real }> {
  const run = ++runs;
  // Far from the runs before, which sweeps over all tenants find ended.
  const start = Date.parse('2026-01-05T08:00:00Z') + run * 1000 * MINUTE;
  const tenantId = `run${run}` as TenantId;
  const first = await makeTenant(database, tenantId, start);
  const clock = { now: start };
  const source = notifyingSource();
  const real: Real = {
    parts: {
      config: loadConfig({ SVC_ENV: 'development', SVC_DATABASE_URL: database.url }),
      graph: noGraph,
      fixture: fixtureCompany,
      db: database.db,
      clock: () => clock.now,
      metrics: createMetrics(),
      connectorOf: () => source.connector,
    },
    tenantId,
    scopeIds: SCOPES.map((number) => (number === 0 ? first : `${first}_${number}`) as ScopeId),
    source,
    start,
    clock,
  };
  await inTenant(real, (tx) =>
    tx.query(sql`
      insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, created_at)
      select s.tenant_id, n.id, connector_instance_id, family, n.id, name, kind, created_at
        from scopes s, unnest(${real.scopeIds.slice(1)}::text[]) as n (id)`),
  );
  const unknown = { status: null, expiresAt: 0, lastError: null, heldUntil: 0, waitUntil: 0, failures: 0 };
  return { model: { minute: 0, scopes: SCOPES.map(() => ({ ...unknown })), renewed: 0, failed: 0 }, real };
}

test('subscriptions keep to the specification in any order of events', async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (list) => {
      const fresh = await freshTenant();
      await fc.asyncModelRun(() => fresh, list);
    }),
    { numRuns: propertyRuns(25) },
  );
});
