import { createPublicKey, verify } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { keptCheckpoints } from '../../core/audit/kept-checkpoints.ts';
import { signCheckpoints } from '../../core/audit/sign-checkpoints.ts';
import { signingWith } from '../../core/audit/signing-key.ts';
import { verifyExport } from '../../core/audit/verify-export.ts';
import { sql } from '../../core/db/sql.ts';
import { clientStateOf } from '../../core/notifications/client-state.ts';
import { renewSubscriptions } from '../../core/notifications/renew.ts';
import { SUBSCRIPTION_LIFETIME_MS } from '../../core/notifications/subscription-states.ts';
import { exportFile, newAuditKey } from '../support/audit-trail.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const [OLD, NEW] = ['the session secret before', 'the session secret after'];
const BEFORE = { SVC_SESSION_SECRET: OLD };
/** Every process accepts the new secret before one of them signs with it. */
const PREPARED = { SVC_SESSION_SECRET: OLD, SVC_SESSION_SECRET_PREVIOUS: NEW };
const OVERLAP = { SVC_SESSION_SECRET: NEW, SVC_SESSION_SECRET_PREVIOUS: OLD };
const AFTER = { SVC_SESSION_SECRET: NEW };
const MINUTE = 60_000;

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 2 });
  service = await startService(database, BEFORE);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});
afterEach(() => service.reconfigure(BEFORE));

describe('the session secret', () => {
  const isSignedIn = async (caller: SignedIn) => (await caller.get('/api/auth/me')).status === 200;

  test('changes without a sign-out: sessions of both hold, new ones are of the new', async () => {
    const early = await service.signInAs(PERSONA.nobody);
    await service.reconfigure(PREPARED);
    const prepared = await service.signInAs(PERSONA.nobody);
    await service.reconfigure(OVERLAP);
    const late = await service.signInAs(PERSONA.nobody);
    expect([await isSignedIn(early), await isSignedIn(prepared), await isSignedIn(late)]).toEqual([
      true,
      true,
      true,
    ]);
    // A process that is not restarted yet knows the session that another has made.
    await service.reconfigure(PREPARED);
    expect(await isSignedIn(late)).toBe(true);

    await service.reconfigure(AFTER);
    expect([await isSignedIn(early), await isSignedIn(prepared), await isSignedIn(late)]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('lets a session of the previous one change things and end as any other', async () => {
    const [caller, other] = [await service.signInAs(PERSONA.nobody), await service.signInAs(PERSONA.nobody)];
    await service.reconfigure(OVERLAP);
    expect((await service.withCookie(caller.cookie, 'wrong').post('/api/auth/logout')).status).toBe(403);
    const login = await caller.post('/api/auth/dev/login', { principalId: PERSONA.nobody });
    expect([login.status, await isSignedIn(caller)]).toEqual([200, false]);
    expect((await other.post('/api/auth/logout')).status).toBe(200);
    expect(await isSignedIn(other)).toBe(false);
  });
});

describe('the secret of webhooks', () => {
  type Listed = { items: { scopeId: string }[] };
  let admin: SignedIn;
  /** Each test takes the next one. */
  let scopeId: string;
  let taken = 0;

  beforeEach(async () => {
    admin = await service.signInAs(PERSONA.platformAdmin);
    await admin.post('/api/sources/connect', {});
    scopeId = (await admin.get<Listed>('/api/sources')).body.items[taken++]?.scopeId ?? '';
    await admin.post('/api/admin/notifications/subscribe', { scopeId });
  });

  const stored = async () => {
    const [row] = await database.inspect<{ id: string; atSource: string; status: string; expires: Date }>(sql`
      select subscription_id as id, external_id as "atSource", status, expires_at as expires
        from change_subscriptions where scope_id = ${scopeId} and not forced`);
    if (row === undefined) throw new Error('There is no subscription');
    return row;
  };
  /** Sends what a source sends that knows the client state of a secret. Returns what became of it. */
  const notify = async ({ id, atSource }: { id: string; atSource: string }, secret: string) => {
    const counters = () => service.runtime().metrics.snapshot().counters;
    const before = counters();
    const item = { subscriptionId: atSource, clientState: clientStateOf(secret, id), changeType: 'updated' };
    await service.anonymous.post('/api/webhooks/graph/notifications', { value: [item] });
    return Object.entries(counters())
      .filter(([name, count]) => name.startsWith('change_notification:') && count !== before[name])
      .map(([name]) => name.slice('change_notification:'.length));
  };
  const REJECTED = ['rejected:client_state_mismatch'];
  const ACCEPTED = expect.arrayContaining([expect.stringMatching(/^(reconcile|deduplicated)/)]);
  /** The sweep of renewals, just before the subscription expires. */
  const renew = async () => {
    service.clock.advance((await stored()).expires.getTime() - service.clock.now() - MINUTE);
    const { stopping: signal } = service.runtime();
    await renewSubscriptions(service.runtime(), { signal, budgetMs: MINUTE });
  };

  test('changes without a loss: both hold until renewals have told the new one', async () => {
    const before = await stored();
    expect(await notify(before, OLD)).toEqual(ACCEPTED);
    await service.reconfigure(OVERLAP);
    expect(await notify(before, OLD)).toEqual(ACCEPTED);

    await renew();
    const after = await stored();
    expect(after).toMatchObject({ id: before.id, status: 'active' });
    expect(after.atSource).not.toBe(before.atSource);
    expect(after.expires.getTime() - service.clock.now()).toBeGreaterThan(SUBSCRIPTION_LIFETIME_MS - MINUTE);

    await service.reconfigure(AFTER);
    expect([await notify(after, NEW), await notify(after, OLD)]).toEqual([ACCEPTED, REJECTED]);
    // From now on it is renewed as before.
    await renew();
    expect(await stored()).toMatchObject({ atSource: after.atSource, status: 'active' });
  });

  test('changes at once where the previous one leaked, and renewals mend subscriptions', async () => {
    const before = await stored();
    await service.reconfigure(AFTER);
    expect(await notify(before, OLD)).toEqual(REJECTED);
    await renew();
    const after = await stored();
    expect(after.atSource).not.toBe(before.atSource);
    expect([await notify(after, NEW), await notify(after, OLD)]).toEqual([ACCEPTED, REJECTED]);
  });

  test('registers again at the next renewal what an earlier release has registered', async () => {
    const before = await stored();
    await database.inspect(sql`update change_subscriptions set secret_id = null where scope_id = ${scopeId}`);
    await renew();
    const after = await stored();
    expect(after.atSource).not.toBe(before.atSource);
    await renew();
    expect((await stored()).atSource).toBe(after.atSource);
  });
});

describe('the signing key', () => {
  const [first, second] = [newAuditKey(), newAuditKey()];
  const KEY = { SVC_AUDIT_SIGNING_KEY_REF: 'AUDIT_KEY' };
  const FIRST = { ...BEFORE, ...KEY, AUDIT_KEY: first.privateKey };
  const SECOND = { ...BEFORE, ...KEY, AUDIT_KEY: second.privateKey };
  let auditor: SignedIn;

  /** What the timer does. */
  const sign = async () => {
    const { config, db, clock, stopping } = service.runtime();
    const { signer } = signingWith(config.secret('SVC_AUDIT_SIGNING_KEY_REF'));
    if (signer === null) throw new Error('There is no signing key');
    return signCheckpoints(db, { signer, clock, signal: stopping });
  };
  const verdict = async () =>
    (await auditor.get<{ ok: boolean; firstBreak: { reason: string } | null }>('/api/audit/verify')).body;
  const HOLDS = { ok: true, firstBreak: null };
  const UNKNOWN = { ok: false, firstBreak: { reason: 'checkpoint_key_unknown' } };
  const exported = async () => (await auditor.get('/api/exports/audit?format=ndjson')).text;
  const kept = async () => (await auditor.get('/api/audit/checkpoints')).text;
  const offline = (file: string, keys: readonly { signer: { keyId: string } }[], checkpoints = '[]') =>
    verifyExport([exportFile(file)], {
      anchors: {
        trustedKeys: new Set(keys.map(({ signer }) => signer.keyId)),
        pinned: keptCheckpoints(checkpoints) ?? [],
      },
    });

  test('changes in the middle of a chain, and the chain holds all the time', async () => {
    await service.reconfigure(FIRST);
    auditor = await service.signInAs(PERSONA.auditor);
    await sign();
    await service.signInAs(PERSONA.nobody);
    await sign();
    expect(await verdict()).toMatchObject(HOLDS);
    const [fileBefore, keptBefore] = [await exported(), await kept()];

    // Without the id of the former key, the chain seems broken until the timer has signed.
    await service.reconfigure(SECOND);
    expect(await verdict()).toMatchObject(UNKNOWN);
    await service.reconfigure({ ...SECOND, SVC_AUDIT_TRUSTED_KEY_IDS: first.signer.keyId });
    expect(await verdict()).toMatchObject(HOLDS);
    await sign();
    expect(await verdict()).toMatchObject(HOLDS);
    // A process that is not restarted yet trusts the new key, if it was told.
    await service.reconfigure({ ...FIRST, SVC_AUDIT_TRUSTED_KEY_IDS: second.signer.keyId });
    expect(await verdict()).toMatchObject(HOLDS);
    await service.reconfigure(SECOND);
    expect(await verdict()).toMatchObject(HOLDS);

    const [fileAfter, keptAfter] = [await exported(), await kept()];
    const statements = keptCheckpoints(keptAfter) ?? [];
    const ids = statements.map(({ keyId }) => keyId);
    expect(ids).toEqual([second.signer.keyId, first.signer.keyId, first.signer.keyId]);

    // The auditor's side: what was exported before and after, with one key or both.
    expect(await offline(fileAfter, [second], keptBefore)).toMatchObject({ ok: true, checkpoints: 3 });
    expect(await offline(fileAfter, [first, second], keptAfter)).toMatchObject({ ok: true });
    expect(await offline(fileAfter, [first])).toMatchObject(UNKNOWN);
    expect(await offline(fileBefore, [second])).toMatchObject(UNKNOWN);
    expect(await offline(fileBefore, [first, second], keptBefore)).toMatchObject({
      ok: true,
      checkpoints: 2,
    });
  });

  test('before the change still verifies what it signed, by its public half', async () => {
    const { items } = JSON.parse(await kept()) as {
      items: { keyId: string; record: string; signature: string }[];
    };
    const signs = (pem: string, { record, signature }: { record: string; signature: string }) =>
      verify(null, Buffer.from(record), createPublicKey(pem), Buffer.from(signature, 'base64url'));
    const outcomes = items.map((item) => ({
      key: item.keyId === first.signer.keyId ? 'first' : 'second',
      byFirst: signs(first.publicKey, item),
      bySecond: signs(second.publicKey, item),
    }));
    expect(outcomes).toEqual([
      { key: 'second', byFirst: false, bySecond: true },
      { key: 'first', byFirst: true, bySecond: false },
      { key: 'first', byFirst: true, bySecond: false },
    ]);
  });
});
