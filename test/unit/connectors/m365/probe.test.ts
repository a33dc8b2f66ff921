import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createGraphClient } from '../../../../core/connectors/m365/graph-client.ts';
import { type GraphProbeParts, probeGraph } from '../../../../core/connectors/m365/probe.ts';
import { canBeScanned, notConfigured, PROBED, type SourceProbe } from '../../../../core/connectors/probe.ts';
import { clientOf, cloudOf } from '../../../support/graph/connect.ts';
import { type GraphFake, startGraphFake } from '../../../support/graph/graph-fake.ts';
import { guidOf } from '../../../support/graph/ids.ts';
import { listen } from '../../../support/graph/listen.ts';
import { DOCUMENTED_PERMISSIONS, REPORTS_SHARING } from '../../../support/graph/permissions.ts';

const READER = guidOf('application/reader');
const ALL = [...DOCUMENTED_PERMISSIONS, REPORTS_SHARING];
const NORTHWIND = 'nordwind.sharepoint.com';
const within = () => AbortSignal.timeout(10_000);

let fake: GraphFake;
let webhook: Awaited<ReturnType<typeof listen>>;
let echoes: boolean;

beforeEach(async () => {
  echoes = true;
  fake = await startGraphFake({
    tenants: [
      {
        name: 'Nordwind',
        apps: [{ clientId: READER, permissions: ALL }],
        sites: [
          { name: 'Finance', libraries: ['Documents'] },
          { name: 'Greta', path: 'personal/greta', libraries: ['OneDrive'], personal: true },
        ],
      },
    ],
  });
  webhook = await listen(async ({ url }, response) => {
    const token = new URL(url, 'http://host').searchParams.get('validationToken');
    response.writeHead(200, { 'content-type': 'text/plain' }).end(echoes ? token : 'something else');
  }, null);
});
afterEach(async () => {
  expect(fake.violations).toEqual([]);
  await Promise.all([fake.close(), webhook.close()]);
});

const partsOf = (more: Partial<GraphProbeParts> = {}): GraphProbeParts => ({
  acquireToken: async () => undefined,
  client: clientOf(fake, READER),
  sites: 'all',
  readsLabels: true,
  notifications: { notificationUrl: webhook.origin, lifecycleUrl: webhook.origin },
  now: fake.now(),
  ...more,
});
const probe = (more: Partial<GraphProbeParts> = {}) => probeGraph(partsOf(more), within());
const okBut = (others: Partial<SourceProbe>): SourceProbe => ({
  ...(Object.fromEntries(PROBED.map((name) => [name, { state: 'ok' }])) as SourceProbe),
  reach: notConfigured('not_part_of_source'),
  files: notConfigured('not_part_of_source'),
  ...others,
});
const without = (...permissions: string[]) => {
  fake.app(READER).permissions = ALL.filter((held) => !permissions.includes(held));
};
const lacks = (...missing: string[]) =>
  ({ state: 'blocked', reason: 'missing_permission', missing }) as const;

describe('a test of Microsoft 365', () => {
  test('finds everything, and leaves no subscription behind', async () => {
    expect(await probe()).toEqual(okBut({}));
    expect(fake.callsOf('subscription_create')).toHaveLength(1);
    expect(fake.tenant().subscriptions.size).toBe(0);
  });

  test.each([
    ['SensitivityLabels.Read.All', ['labels']],
    ['User.Read.All', ['directory']],
    ['GroupMember.Read.All', ['directory']],
    ['Organization.Read.All', ['directory']],
  ])('names %s where it is missing, and can still scan', async (permission, lacking) => {
    without(permission);
    const found = await probe();
    expect(found).toEqual(okBut(Object.fromEntries(lacking.map((name) => [name, lacks(permission)]))));
    expect(canBeScanned(found)).toBe(true);
  });

  test('with the documented permissions, everything is there but reports of sharing', async () => {
    without(REPORTS_SHARING);
    const found = await probe();
    const sharing = { state: 'not_configured', reason: 'optional_permission', missing: [REPORTS_SHARING] };
    expect(found).toEqual(okBut({ sharing } as Partial<SourceProbe>));
    expect(canBeScanned(found)).toBe(true);
  });

  test('names the permission to write that subscriptions need', async () => {
    without('Files.ReadWrite.All');
    expect(await probe()).toEqual(okBut({ notifications: lacks('Files.ReadWrite.All') }));
  });

  test('without permission to list sites, what rests on them has the same reason', async () => {
    without('Sites.Read.All', REPORTS_SHARING);
    const found = await probe();
    const same = lacks('Sites.Read.All');
    expect(found).toMatchObject({ sites: same, drive: same, notifications: same, labels: { state: 'ok' } });
    expect(canBeScanned(found)).toBe(false);
  });

  test('tells the place of the first site that it does not find', async () => {
    const found = await probe({ sites: [`${NORTHWIND}:/sites/Finance`, `${NORTHWIND}:/sites/Fnance`] });
    const sites = { state: 'blocked', reason: 'site_not_found', missing: [], position: 2 };
    expect(found).toEqual(okBut({ sites } as Partial<SourceProbe>));
  });

  test('a personal site has nothing to scan', async () => {
    const found = await probe({ sites: [`${NORTHWIND}:/personal/greta`] });
    expect(found.sites).toEqual({ state: 'blocked', reason: 'no_library', missing: [], position: 1 });
  });

  test('what is not configured is told as that, and not called', async () => {
    const notifications = notConfigured('switched_off', 'SVC_CHANGE_NOTIFICATIONS_ENABLED');
    const found = await probe({ sites: null, readsLabels: false, notifications });
    const sites = notConfigured('setting_missing', 'SVC_GRAPH_SITES');
    expect(found).toEqual(
      okBut({
        sites,
        drive: sites,
        notifications,
        labels: notConfigured('switched_off', 'SVC_LABEL_READ_ENABLED'),
      }),
    );
    expect(new Set(fake.calls.map(({ family }) => family))).toEqual(
      new Set(['site_permissions', 'users', 'groups', 'organization']),
    );
  });

  test('a webhook that does not echo is told', async () => {
    echoes = false;
    expect((await probe()).notifications).toEqual({
      state: 'blocked',
      reason: 'webhook_refused',
      missing: [],
    });
  });

  test('a library that has a subscription already can be subscribed to', async () => {
    const [driveId] = fake.tenant().drives.keys();
    const body = {
      ...{ changeType: 'updated', resource: `/drives/${driveId}/root`, notificationUrl: webhook.origin },
      expirationDateTime: new Date(fake.now() + 3_600_000).toISOString(),
    };
    const options = { body, schema: z.looseObject({}), signal: within() };
    await clientOf(fake, READER).call('subscription_create', {}, options);
    expect(await probe()).toEqual(okBut({}));
    expect(fake.tenant().subscriptions.size).toBe(1);
  });

  test('a fault of one capability leaves the others alone', async () => {
    fake.fail({ on: 'users', fault: { kind: 'error', status: 500, code: 'generalException' }, times: 9 });
    expect(await probe()).toEqual(
      okBut({ directory: { state: 'failed', reason: 'unreachable', missing: [] } }),
    );
  });

  test('throttling is told as such', async () => {
    fake.fail({ on: 'delta', fault: { kind: 'throttle', retryAfter: 120 }, times: 9 });
    expect((await probe()).drive).toEqual({ state: 'failed', reason: 'throttled', missing: [] });
  });

  test('it ends at its bound, and tells what it did not find out', async () => {
    fake.setLatency(5_000);
    const began = performance.now();
    const found = await probeGraph(partsOf(), AbortSignal.timeout(300));
    // Before the answers.
    expect(performance.now() - began).toBeLessThan(5_000);
    const late = { state: 'failed', reason: 'too_late', missing: [] } as const;
    expect(found).toEqual({
      ...okBut({}),
      sites: late,
      drive: late,
      sharing: late,
      labels: late,
      directory: late,
      notifications: late,
    });
  });

  test('without a token nothing is called, and each capability says why', async () => {
    const client = createGraphClient({
      cloud: cloudOf(fake),
      tokens: { token: () => Promise.reject(new Error('canary')) },
      gate: { enter: () => Promise.reject(new Error('canary')) },
      priority: 'interactive',
      clock: fake.now,
      writesLabels: false,
      count: () => undefined,
    });
    const found = await probe({ client, acquireToken: () => Promise.reject(new Error('canary')) });
    for (const name of PROBED)
      expect(found[name]).toEqual({ state: 'failed', reason: 'internal_error', missing: [] });
    expect(fake.calls).toEqual([]);
  });
});
