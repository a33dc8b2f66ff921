import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startScheduledDeltas } from '../../core/campaigns/scheduled-deltas.ts';
import { sql } from '../../core/db/sql.ts';
import { LICENSE_TRANSITIONS } from '../../core/licensing/license-state.ts';
import { renewLicenses } from '../../core/licensing/renew.ts';
import type { LicenseStatus } from '../../core/licensing/status.ts';
import { followUp } from '../../core/notifications/follow-up.ts';
import { newKeyPair, signEntitlement, signerOfPem } from '../../infra/vendor/signer.ts';
import { OFFER, startVendor } from '../support/activation-vendor.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DAY_MS, entitlement, LICENSE_SECRET, LICENSED, SIGNER, terms } from '../support/entitlements.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const HOUR_MS = 3_600_000;

type Fault = { error: string; message?: string; issues?: { path: string; message: string }[] };
type Renewal = { renewed: boolean; failure: string | null; license: LicenseStatus };

let database: TestDatabase;
let service: TestService;
let vendor: Awaited<ReturnType<typeof startVendor>>;
let admin: SignedIn;
/** Texts that must stand in no log, error, audit event or status. */
const secrets: string[] = [LICENSE_SECRET];
const errorBodies: string[] = [];

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 3 });
  service = await startService(database, LICENSED);
  vendor = await startVendor(service.clock.now);
  await (await service.signInAs(PERSONA.platformAdmin)).post('/api/sources/connect', {});
});
afterAll(async () => {
  await service.close();
  await vendor.close();
  await database.drop();
});
beforeEach(async () => {
  await database.inspect(sql`delete from licenses`);
  await service.reconfigure({ SVC_LICENSE_SERVICE_URL: vendor.url });
  admin = await service.signInAs(PERSONA.platformAdmin);
});

const now = () => service.clock.now();
const made = async (...args: Parameters<typeof entitlement>) => {
  const token = await entitlement(...args);
  secrets.push(token, ...token.split('.').slice(1));
  return token;
};
const post = async <T = Fault>(path: string, body: object = {}) => {
  const answer = await admin.post<T>(`/api/controlplane/${path}`, body);
  if (answer.status >= 400) errorBodies.push(answer.text);
  return answer;
};
const activate = async (changes: Parameters<typeof entitlement>[1] = {}, at = now()) =>
  post<Fault & LicenseStatus>('activate', { token: await made(at, changes) });
const status = async () => (await admin.get<LicenseStatus>('/api/controlplane/status')).body;
const newCode = async (changes: Partial<typeof OFFER> = {}) => {
  const code = await vendor.codes.add({ ...OFFER, ...changes });
  secrets.push(code);
  return code;
};
/** Moves the clock. Sessions end by then. */
const moved = async (milliseconds: number) => {
  service.clock.advance(milliseconds);
  admin = await service.signInAs(PERSONA.platformAdmin);
};
const lastAudited = async (type: string) => {
  const [row] = await database.inspect<{ record: string }>(sql`
    select record from audit_events where tenant_id = ${DEV} and record::jsonb #>> '{event,type}' = ${type}
     order by seq desc limit 1`);
  return row === undefined ? null : JSON.parse(row.record).event;
};
const scopeId = async () => {
  const [row] = await database.inspect<{ id: string }>(sql`
    select scope_id as id from scopes where tenant_id = ${DEV} and external_id = 'site-finance'`);
  return row?.id ?? '';
};
const startScan = async () =>
  admin.post<Fault>('/api/scans', { scopeId: await scopeId(), kind: 'inventory' });

describe('activation by token', () => {
  test('puts the terms in force and is audited', async () => {
    expect(await status()).toMatchObject({ state: 'none', scansMayStart: true, entitlement: null });
    const { status: answered, body } = await activate({ maxAssets: 1_000_000 });
    expect(answered).toBe(200);
    expect(body).toMatchObject({
      ...{ state: 'active', scansMayStart: true, reason: null, clock: { state: 'steady' } },
      entitlement: { edition: 'standard', features: ['scanning'], maxAssets: 1_000_000, maxScopes: null },
    });
    expect(await status()).toMatchObject({ state: 'active', challenge: body.challenge });
    expect(await lastAudited('license_activated')).toMatchObject({
      ...{
        category: 'config',
        principalId: PERSONA.platformAdmin,
        details: { origin: 'token', scanning: true },
      },
      target: { kind: 'entitlement', id: body.entitlement?.entitlementId },
    });
    expect(service.logs.join('')).toContain('license_activated');
  });

  test('may last to the end of the calendar', async () => {
    const { status: answered, body } = await activate({ endsAt: '9999-12-31T23:59:59.999Z' });
    expect([answered, body.state]).toEqual([200, 'active']);
    expect(body.entitlement?.graceEndsAt).toBe('9999-12-31T23:59:59.999Z');
  });

  test('says what is wrong with a token', async () => {
    const foreign = newKeyPair('a passphrase of tests');
    const signer = signerOfPem(foreign.pem, 'a passphrase of tests');
    const messageOf = async (token: string) => {
      secrets.push(token);
      const { status: answered, body } = await post('activate', { token });
      return [answered, body.error, body.issues?.[0]?.path, body.issues?.[0]?.message];
    };
    const refused = (text: unknown) => [
      400,
      'validation_failed',
      'token',
      expect.stringContaining(`${text}`),
    ];
    expect(await messageOf('CanaryOfNoToken')).toEqual(refused('not a compact JWS'));
    expect(await messageOf('x'.repeat(9_000))).toEqual(refused('larger'));
    expect(await messageOf(await signEntitlement(terms(now()), signer))).toEqual(refused('does not know'));
    const other = await made(now(), { tenantId: 'other' });
    expect(await messageOf(other)).toEqual(refused('another tenant'));
    expect((await status()).state).toBe('none');
  });

  test('refuses a token that has ended, and one older than the one in force', async () => {
    const ended = await activate({ endsAt: new Date(now() - DAY_MS).toISOString() }, now() - 9 * DAY_MS);
    expect([ended.status, ended.body.error]).toEqual([409, 'conflict']);
    expect((await activate()).status).toBe(200);
    const older = await activate({}, now() - DAY_MS);
    expect([older.status, older.body.error]).toEqual([409, 'conflict']);
  });

  test('many at once leave the one that was issued last', async () => {
    const ages = [5, 3, 0, 4, 1, 2];
    const answers = await Promise.all(
      ages.map((age) => activate({ edition: `age-${age}` }, now() - age * DAY_MS)),
    );
    for (const { status: answered } of answers) expect([200, 409]).toContain(answered);
    expect((await status()).entitlement?.edition).toBe('age-0');
  });

  test('only administrators of the platform may; administrators and auditors may look', async () => {
    const token = await made(now());
    const answers = await Promise.all(
      [PERSONA.governanceAdmin, PERSONA.auditor, PERSONA.financeOwner, PERSONA.approver].map(async (who) => {
        const person = await service.signInAs(who);
        const looked = await person.get('/api/controlplane/status');
        const acted = await Promise.all([
          person.post('/api/controlplane/activate', { token }),
          person.post('/api/controlplane/activate-online', { code: 'a code that is none' }),
          person.post('/api/controlplane/renew'),
          person.post('/api/controlplane/deactivate'),
        ]);
        return [looked.status, ...acted.map((each) => each.status)];
      }),
    );
    expect(answers).toEqual([
      [200, 403, 403, 403, 403],
      [200, 403, 403, 403, 403],
      [403, 403, 403, 403, 403],
      [403, 403, 403, 403, 403],
    ]);
  });
});

describe('activation with a code', () => {
  test('asks the configured service, and the code holds once', async () => {
    const code = await newCode();
    const first = await post<LicenseStatus>('activate-online', { code });
    expect([first.status, first.body.state]).toEqual([200, 'active']);
    expect(await lastAudited('license_activated')).toMatchObject({ details: { origin: 'online' } });
    const again = await post('activate-online', { code });
    expect([again.status, again.body.issues?.[0]?.path]).toEqual([400, 'code']);
  });

  test('of many requests with one code exactly one succeeds', async () => {
    const code = await newCode();
    const answers = await Promise.all(Array.from({ length: 12 }, () => post('activate-online', { code })));
    expect(answers.map((each) => each.status).sort()).toEqual([200, ...Array(11).fill(400)]);
  });

  test('the code of another tenant is refused and not used up', async () => {
    const code = await newCode({ tenantId: 'other' });
    expect((await post('activate-online', { code })).status).toBe(400);
    expect(await vendor.codes.redeem(code, 'other')).toMatchObject({ tenantId: 'other' });
  });

  test('needs the setting', async () => {
    await service.reconfigure({});
    const { status: answered, body } = await post('activate-online', { code: await newCode() });
    expect([answered, body.error]).toEqual([422, 'blocked_capability']);
    expect(body.message).toContain('SVC_LICENSE_SERVICE_URL');
  });
});

test('a deactivated license lets no scan start until another is activated', async () => {
  expect((await post('deactivate')).status).toBe(409);
  await activate();
  const { body } = await post<LicenseStatus>('deactivate');
  expect(body).toMatchObject({ state: 'deactivated', scansMayStart: false, reason: 'license_deactivated' });
  expect(await lastAudited('license_deactivated')).toMatchObject({ principalId: PERSONA.platformAdmin });
  expect(service.logs.join('')).toContain('"license_deactivated"');
  const refused = await startScan();
  expect([refused.status, refused.body.error]).toEqual([402, 'license_required']);
  expect((await post('deactivate')).status).toBe(409);
  expect((await activate()).body.state).toBe('active');
});

describe('scans', () => {
  test.each([
    ['scanning_not_included', { features: [] }],
    ['too_many_scopes', { maxScopes: 1 }],
    ['too_many_billable_users', { maxBillableUsers: 0 }],
  ])('do not start: %s', async (reason, changes) => {
    expect((await activate(changes)).body).toMatchObject({ state: 'active', scansMayStart: false, reason });
    const { status: answered, body } = await startScan();
    expect([answered, body.error]).toEqual([402, 'license_required']);
  });

  test('people who signed in more than 90 days ago are not billable', async () => {
    await service.signInAs(PERSONA.auditor);
    const before = (await status()).usage.billableUsers;
    await database.inspect(sql`
      update principals set last_sign_in_at = now() - interval '91 days'
       where tenant_id = ${DEV} and principal_id = ${PERSONA.auditor}`);
    expect((await status()).usage.billableUsers).toBe(before - 1);
  });

  test('people are billable too who sign in while the clock is set back', async () => {
    await service.signInAs(PERSONA.auditor);
    const before = (await activate()).body.usage.billableUsers;
    await moved(-100 * DAY_MS);
    await service.signInAs(PERSONA.auditor);
    expect((await status()).usage.billableUsers).toBe(before);
    await moved(100 * DAY_MS);
  });

  test('a row of the database that was changed entitles to nothing', async () => {
    await activate();
    await database.inspect(sql`
      update licenses set entitlement = regexp_replace(entitlement, '\\.[^.]*\\.', '.eyJhIjoxfQ.')`);
    expect(await status()).toMatchObject({
      ...{ state: 'unusable', reason: 'license_unusable', unusableBecause: 'bad_signature' },
    });
    expect((await startScan()).status).toBe(402);
  });

  test('the scheduled delta is skipped, and operators see why', async () => {
    const scan = await startScan();
    expect(scan.status).toBe(200);
    await service.drain();
    await activate({ features: [] });
    expect(await startScheduledDeltas(service.runtime(), new AbortController().signal)).toBe(0);
    expect((await status()).skippedDeltas.count).toBeGreaterThan(0);
    const { text } = await admin.get('/api/ops/overview');
    expect(text).toContain('scheduled_deltas_skipped');

    // So is the delta of a hint, which waits until the license allows it.
    const notified = await admin.post('/api/dev/notifications/simulate', { scopeId: await scopeId() });
    expect(notified.status).toBe(200);
    const { text: recent } = await admin.get('/api/admin/notifications/recent');
    expect(recent).toContain('"rejectReason":"license_required"');
    const [hinted] = await database.inspect<{ n: number }>(sql`
      select count(*)::int as n from change_subscriptions where hinted_at is not null`);
    expect(hinted?.n).toBe(1);
    // Tried again, it still counts once.
    const { count } = (await status()).skippedDeltas;
    await moved(HOUR_MS);
    await followUp(service.runtime());
    expect((await status()).skippedDeltas.count).toBe(count);
  });
});

/** A vendor who answers as the test says. */
async function startFaulty(answer: (response: ServerResponse, body: Record<string, string>) => unknown) {
  const requests: Record<string, string>[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    requests.push({ url: request.url ?? '', ...JSON.parse(text) });
    await answer(response, JSON.parse(text));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () => {
      server.closeAllConnections();
      return new Promise((closed) => server.close(closed));
    },
  };
}

const told = (response: ServerResponse, token: string) =>
  response.end(JSON.stringify({ entitlement: token }));
const FAULTS: Record<string, [string, Parameters<typeof startFaulty>[0]]> = {
  'refuses with 403': ['refused', (response) => response.writeHead(403).end('CanaryOfTheVendor')],
  'is not there': ['failed', (response) => response.writeHead(404).end('CanaryOfTheVendor')],
  'is asked too often': ['failed', (response) => response.writeHead(429).end('CanaryOfTheVendor')],
  'fails with 500': ['failed', (response) => response.writeHead(500).end('CanaryOfTheVendor')],
  'answers 204': ['failed', (response) => response.writeHead(204).end()],
  'sends the caller elsewhere': [
    'unreachable',
    (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
  ],
  'breaks the connection': ['unreachable', (response) => response.destroy()],
  'answers no JSON': ['malformed', (response) => response.end('<html>CanaryOfTheVendor')],
  'answers another object': ['malformed', (response) => response.end('{"token":"CanaryOfTheVendor"}')],
  'answers too much': ['malformed', (response) => response.end(`{"entitlement":"${'x'.repeat(100_000)}"}`)],
  'answers no token': ['not_verified', (response) => told(response, 'CanaryOfTheVendor')],
  'signs with another key': [
    'not_verified',
    async (response, { challenge = '' }) => {
      const { pem } = newKeyPair('a passphrase of tests');
      const signer = signerOfPem(pem, 'a passphrase of tests');
      told(response, await signEntitlement(terms(now(), { challenge }), signer));
    },
  ],
  'answers what it answered before': [
    'not_verified',
    async (response) => told(response, await made(now(), { challenge: 'A'.repeat(22) })),
  ],
  'answers for another tenant': [
    'not_verified',
    async (response, { challenge = '' }) =>
      told(response, await made(now(), { challenge, tenantId: 'other' })),
  ],
  'answers what has ended': [
    'outdated',
    async (response, { challenge = '' }) =>
      told(
        response,
        await made(now() - 2 * HOUR_MS, { challenge, endsAt: new Date(now() - HOUR_MS).toISOString() }),
      ),
  ],
  'answers an older one': [
    'outdated',
    async (response, { challenge = '' }) => told(response, await made(now() - DAY_MS, { challenge })),
  ],
};

describe('renewal', () => {
  test('replaces the token, and keeps the time of the activation', async () => {
    const { body: first } = await activate();
    const { status: answered, body } = await post<Renewal>('renew');
    expect([answered, body.renewed, body.failure]).toEqual([200, true, null]);
    expect(body.license.entitlement?.activatedAt).toBe(first.entitlement?.activatedAt);
    expect(body.license.entitlement?.renewedAt).not.toBeNull();
    expect(await lastAudited('license_renewed')).toMatchObject({ details: { origin: 'renewal' } });
    expect(service.logs.join('')).toContain('"license_renewed"');
  });

  test('replaces a token whose key is no longer trusted, if the vendor still knows it', async () => {
    const kind = await startFaulty(async (response, { challenge = '' }) =>
      told(response, await made(now(), { challenge })),
    );
    await activate();
    await database.inspect(sql`update licenses set entitlement = 'a.b.c'`);
    await service.reconfigure({ SVC_LICENSE_SERVICE_URL: kind.url });
    const { state: before } = await status();
    const { body } = await post<Renewal>('renew');
    await kind.close();
    expect([before, body.license.state]).toEqual(['unusable', 'active']);
    expect(LICENSE_TRANSITIONS).toContainEqual({ from: before, trigger: 'renew', to: body.license.state });
  });

  test('needs a license, and the setting', async () => {
    expect((await post('renew')).status).toBe(409);
    await activate();
    await service.reconfigure({});
    expect((await post('renew')).status).toBe(422);
  });

  test.each(Object.entries(FAULTS))('a vendor who %s changes nothing', async (_, [failure, answer]) => {
    const faulty = await startFaulty(answer);
    try {
      const { body: before } = await activate({}, now() - 3 * HOUR_MS);
      await service.reconfigure({ SVC_LICENSE_SERVICE_URL: faulty.url });
      const { status: answered, body, text } = await post<Renewal>('renew');
      expect([answered, body.renewed, body.failure]).toEqual([200, false, failure]);
      expect(text).not.toContain('CanaryOfTheVendor');
      expect(body.license).toMatchObject({
        ...{ state: 'active', entitlement: before.entitlement },
        renewal: { lastAttemptAt: expect.any(String), failures: 1, failure },
      });
      expect(await lastAudited('license_renewal_failed')).toMatchObject({ details: { reason: failure } });
      // An activation with a code fails as well, and says why.
      const activated = await post('activate-online', { code: await newCode() });
      expect(activated.status).toBe(failure === 'refused' ? 400 : failure === 'outdated' ? 409 : 422);
      errorBodies.push(activated.text);
    } finally {
      await faulty.close();
    }
  });

  test('what goes out has these members and no others', async () => {
    const faulty = await startFaulty((response) => response.writeHead(500).end());
    await service.reconfigure({ SVC_LICENSE_SERVICE_URL: `${faulty.url}/` });
    await activate();
    await post('renew');
    await post('activate-online', { code: await newCode() });
    await faulty.close();
    const sent = {
      tenantId: DEV,
      challenge: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
      entitlementVersion: 2,
    };
    const productVersion = expect.any(String);
    expect(faulty.requests).toEqual([
      { url: '/v1/renew', ...sent, productVersion, entitlement: expect.any(String) },
      { url: '/v1/activate', ...sent, productVersion, code: expect.any(String) },
    ]);
  });

  test('the timer asks when it is due, once for all processes, and backs off', async () => {
    let asked = 0;
    const faulty = await startFaulty((response) => {
      asked++;
      return response.writeHead(500).end();
    });
    await service.reconfigure({ SVC_LICENSE_SERVICE_URL: faulty.url });
    const endsAt = new Date(now() + 2 * DAY_MS).toISOString();
    await activate({ endsAt, graceDays: 5 });
    const run = () => Promise.all([1, 2, 3].map(() => renewLicenses(service.runtime())));
    await run();
    expect(asked).toBe(0);
    await moved(1.6 * DAY_MS);
    await run();
    expect(asked).toBe(1);
    await run();
    expect(asked).toBe(1);
    await moved(HOUR_MS);
    await run();
    expect(asked).toBe(2);
    await moved(HOUR_MS);
    await run();
    expect(asked).toBe(2);
    expect(await status()).toMatchObject({ state: 'active', renewal: { failures: 2, failure: 'failed' } });
    // It ends and goes on for the grace window. Then the vendor is back.
    await moved(DAY_MS);
    await run();
    expect(asked).toBe(3);
    expect(await status()).toMatchObject({ state: 'grace', scansMayStart: true });
    await faulty.close();
    await service.reconfigure({ SVC_LICENSE_SERVICE_URL: vendor.url });
    await moved(DAY_MS);
    await run();
    expect(await status()).toMatchObject({ state: 'active', renewal: { failures: 0, failure: null } });
  });
});

describe('the clock', () => {
  const look = () => renewLicenses(service.runtime());

  test('a clock that is set back does not prolong a license, and is audited', async () => {
    await service.reconfigure({});
    await activate({ endsAt: new Date(now() + 10 * DAY_MS).toISOString(), graceDays: 0 });
    for (let day = 0; day < 3; day++) {
      await moved(DAY_MS);
      await look();
    }
    await moved(-30 * DAY_MS);
    await look();
    expect(await lastAudited('license_clock_changed')).toMatchObject({ details: { change: 'set_back' } });
    expect((await status()).clock.state).toBe('behind');
    for (let day = 0; day < 7; day++) {
      await moved(DAY_MS);
      await look();
    }
    expect(await status()).toMatchObject({ state: 'expired', scansMayStart: false });
    await moved(20 * DAY_MS);
  });

  test('a clock that was wrong for long is put right by a token with the challenge', async () => {
    await service.reconfigure({});
    await activate();
    await moved(600 * DAY_MS);
    await look();
    expect(await lastAudited('license_clock_changed')).toMatchObject({ details: { change: 'ahead' } });
    expect(await status()).toMatchObject({ state: 'active', clock: { state: 'ahead' } });
    await moved(3 * DAY_MS);
    await look();
    expect(await lastAudited('license_clock_changed')).toMatchObject({
      details: { change: 'ahead_believed' },
    });
    expect(await status()).toMatchObject({ state: 'expired' });
    await moved(-600 * DAY_MS);
    await look();
    const { state, challenge } = await status();
    expect(state).toBe('expired');
    // Without the challenge a token is judged by the wrong time; with it, it proves the right one.
    const judged = await activate();
    expect([judged.status, judged.body.message]).toEqual([409, expect.stringContaining('effective time')]);
    expect((await activate({ challenge })).body).toMatchObject({
      state: 'active',
      clock: { state: 'steady' },
    });
    expect(await lastAudited('license_clock_put_right')).not.toBeNull();
    // A challenge is answered once.
    expect((await status()).challenge).not.toBe(challenge);
  });

  test('an online renewal puts it right too', async () => {
    await activate();
    await moved(600 * DAY_MS);
    await service.reconfigure({});
    await look();
    await moved(3 * DAY_MS);
    await look();
    await moved(-603 * DAY_MS);
    await service.reconfigure({ SVC_LICENSE_SERVICE_URL: vendor.url });
    expect((await status()).state).toBe('expired');
    expect((await post<Renewal>('renew')).body).toMatchObject({
      renewed: true,
      license: { state: 'active' },
    });
  });
});

test('no token, code or secret stands in a log, an error, the audit or the status', async () => {
  await activate();
  const rows = await database.inspect<{ record: string }>(sql`select record from audit_events`);
  const emitted = {
    logs: service.logs.join('\n'),
    errors: errorBodies.join('\n'),
    audit: rows.map(({ record }) => record).join('\n'),
    status: JSON.stringify(await status()),
    overview: (await admin.get('/api/ops/overview')).text,
  };
  expect(secrets.length).toBeGreaterThan(40);
  expect(errorBodies.length).toBeGreaterThan(15);
  for (const type of [
    'license_activated',
    'license_renewed',
    'license_renewal_failed',
    'license_deactivated',
  ]) {
    expect(emitted.audit).toContain(type);
    expect(emitted.logs).toContain(type);
  }
  for (const [place, text] of Object.entries({ ...emitted, signer: '' }))
    for (const secret of [
      ...secrets,
      'CanaryOfTheVendor',
      vendor.url,
      SIGNER.kid === '' ? '' : LICENSE_SECRET,
    ])
      expect(text.includes(secret), `a secret in ${place}`).toBe(false);
});
