import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { DEV, inOther, OTHER, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const PRODUCTION = {
  SVC_ENV: 'production',
  SVC_AUTH_MODE: 'idp',
  SVC_SESSION_SECRET: 'a-secret-of-the-test-and-of-nobody-else',
};
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

type Me = {
  principalId: string;
  tenantId: string;
  roles: string[];
  ownedDomains: string[];
  capabilities: string[];
  csrfToken: string;
};
type Personas = { items: { principalId: string; tenantId: string; roles: string[] }[]; truncated: boolean };

const signInAs = (principalId: string) => service.signInAs(principalId);
const isSignedIn = async (caller: SignedIn) => (await caller.get('/api/auth/me')).status === 200;

/** Makes the service stand in production for the time of `fn`. */
async function inProduction(fn: () => Promise<void>, settings: Record<string, string> = {}) {
  await service.reconfigure({ ...PRODUCTION, ...settings });
  try {
    await fn();
  } finally {
    await service.reconfigure({});
  }
}

/** A session row with the id that a cookie of this secret would carry. */
async function insertSession(secret: string, authMode: 'dev' | 'idp'): Promise<string> {
  const id = 'A'.repeat(42) + authMode[0];
  const now = new Date(service.clock.now());
  await database.inspect(sql`
    insert into sessions (session_hash, tenant_id, principal_id, auth_mode, csrf_token, created_at, last_seen_at, expires_at)
    values (sha256(convert_to(${id}, 'UTF8')), ${DEV}, ${PERSONA.nobody}, ${authMode}, 'token', ${now}, ${now},
            ${new Date(now.getTime() + HOUR)})
    on conflict do nothing`);
  const signature = createHmac('sha256', secret).update(`svc-session:${id}`).digest('base64url');
  return `svc_session=${id}.${signature}`;
}

describe('auth mode', () => {
  test('is shown to everybody, with the banner that dev mode requires', async () => {
    const { status, body } = await service.anonymous.get('/api/auth/mode');
    expect(status).toBe(200);
    expect(body).toEqual({ env: 'development', authMode: 'dev', devBannerRequired: true });
  });

  test('asks for no banner in production', () =>
    inProduction(async () => {
      const { body } = await service.anonymous.get('/api/auth/mode');
      expect(body).toEqual({ env: 'production', authMode: 'idp', devBannerRequired: false });
    }));
});

describe('the development sign-in', () => {
  test('lists the seeded active principals with their roles', async () => {
    const { body } = await service.anonymous.get<Personas>('/api/auth/dev/personas');
    const ids = body.items.map((persona) => persona.principalId);
    for (const id of Object.values(PERSONA)) expect(ids).toContain(id);
    expect(body.items.find((persona) => persona.principalId === PERSONA.auditor)?.roles).toEqual(['auditor']);
    expect(body.truncated).toBe(false);
  });

  test('nobody is listed where nobody was seeded', async () => {
    const unseeded = await createTestDatabase();
    onTestFinished(async () => {
      await service.reconfigure({});
      await unseeded.drop();
    });
    await service.reconfigure({ SVC_DATABASE_URL: unseeded.url });
    const { status, body } = await service.anonymous.get('/api/auth/dev/personas');
    expect([status, body]).toEqual([200, { items: [], truncated: false }]);
  });

  test('does not list a disabled principal and does not sign it in', async () => {
    const disabled = PERSONA.secondGovernanceAdmin;
    await database.inspect(sql`update principals set status = 'disabled' where principal_id = ${disabled}`);
    const { body } = await service.anonymous.get<Personas>('/api/auth/dev/personas');
    expect(body.items.map((persona) => persona.principalId)).not.toContain(disabled);
    const login = await service.anonymous.post('/api/auth/dev/login', { principalId: disabled });
    expect(login.status).toBe(400);
    await database.inspect(sql`update principals set status = 'active' where principal_id = ${disabled}`);
  });

  test('starts a session of the principal in its own tenant', async () => {
    for (const [principalId, tenantId] of [
      [PERSONA.peopleOwner, DEV],
      [inOther(PERSONA.peopleOwner), OTHER],
    ] as const) {
      const caller = await signInAs(principalId);
      const { body } = await caller.get<Me>('/api/auth/me');
      expect(body).toMatchObject({
        principalId,
        tenantId,
        authMode: 'dev',
        displayName: 'Lena Vogel',
        title: 'Head of People',
        department: 'Human Resources',
        roles: ['domain_owner'],
        ownedDomains: ['dom_health_and_safety', 'dom_human_resources'],
        csrfToken: caller.csrfToken,
      });
    }
  });

  test('lists the capabilities that the endpoints check', async () => {
    const owner = (await (await signInAs(PERSONA.peopleOwner)).get<Me>('/api/auth/me')).body;
    expect(owner.capabilities).toEqual([
      'governance.taxonomy.read',
      'governance.suppression.read',
      'governance.suppression.create',
      'governance.owner.attest',
      'scan.job.read',
      'review.read',
      'review.decide',
      'analyst.query',
      'action.draft',
      'action.submit',
      'task.update',
      'asset.metadata.read',
      'asset.evidence.excerpt.read',
      'finding.read',
      'finding.acknowledge',
    ]);
    const nobody = (await (await signInAs(PERSONA.nobody)).get<Me>('/api/auth/me')).body;
    expect(nobody.capabilities).toEqual([]);
  });

  test('is audited as dev_login in the tenant of the principal', async () => {
    await service.anonymous.post(
      '/api/auth/dev/login',
      { principalId: PERSONA.legalOwner },
      { 'x-svc-correlation': 'login-of-the-test' },
    );
    const [row] = await database.inspect<{ tenant_id: string; record: string }>(sql`
      select tenant_id, record from audit_events where record like '%login-of-the-test%'`);
    expect(row?.tenant_id).toBe(DEV);
    expect(JSON.parse(row?.record ?? '{}').event).toMatchObject({
      category: 'auth',
      type: 'dev_login',
      principalId: PERSONA.legalOwner,
      target: { kind: 'principal', id: PERSONA.legalOwner },
    });
  });

  test('answers 400 for an unknown id and sets no cookie', async () => {
    const { status, body, cookies } = await service.anonymous.post('/api/auth/dev/login', {
      principalId: 'pri_nobody_knows',
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'validation_failed', issues: [{ path: 'principalId' }] });
    expect(cookies).toEqual([]);
  });

  test('creates a new session id and ends the session of the request, across tenants too', async () => {
    const first = await signInAs(PERSONA.nobody);
    const login = await first.post('/api/auth/dev/login', { principalId: inOther(PERSONA.nobody) });
    expect(login.status).toBe(200);
    expect(login.cookies[0]).not.toContain(first.cookie);
    expect(await isSignedIn(first)).toBe(false);
  });

  test('exists in development with dev auth only; elsewhere it answers 404', async () => {
    const expectAbsent = async () => {
      const personas = await service.anonymous.get('/api/auth/dev/personas');
      const login = await service.anonymous.post('/api/auth/dev/login', { principalId: PERSONA.nobody });
      expect([personas.status, login.status]).toEqual([404, 404]);
    };
    await inProduction(expectAbsent);
    await service.reconfigure({ SVC_AUTH_MODE: 'idp' });
    await expectAbsent();
    await service.reconfigure({});
  });
});

describe('the session cookie', () => {
  const attributes = (cookie: string | undefined) =>
    (cookie ?? '')
      .split(/;\s*/)
      .slice(1)
      .map((attribute) => attribute.toLowerCase())
      .sort();

  test('is httpOnly, SameSite=Lax, for the whole path, with the absolute expiry', async () => {
    const { cookies } = await service.anonymous.post('/api/auth/dev/login', { principalId: PERSONA.nobody });
    expect(cookies).toHaveLength(1);
    expect(cookies[0]).toMatch(/^svc_session=[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{43};/);
    expect(attributes(cookies[0])).toEqual(['httponly', 'max-age=43200', 'path=/', 'samesite=lax']);
  });

  test('is Secure in production', () =>
    inProduction(async () => {
      const { cookies } = await service.anonymous.post('/api/auth/logout');
      expect(attributes(cookies[0])).toEqual(['httponly', 'max-age=0', 'path=/', 'samesite=lax', 'secure']);
    }));

  test('carries an id that the database does not hold', async () => {
    const { cookie } = await signInAs(PERSONA.nobody);
    const id = cookie.split('=')[1]?.split('.')[0] ?? '';
    expect(Buffer.from(id, 'base64url')).toHaveLength(32);
    const rows = await database.inspect<{ row: string }>(
      sql`select sessions::text || encode(session_hash, 'escape') as row from sessions`,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.some(({ row }) => row.includes(id))).toBe(false);
  });

  test('does not hold when any character of it is changed', async () => {
    const caller = await signInAs(PERSONA.nobody);
    const value = caller.cookie.slice('svc_session='.length);
    for (const at of [0, 20, 41, 42, 43, 44, 60, 86]) {
      const other = value[at] === 'x' ? 'y' : 'x';
      const tampered = value.slice(0, at) + other + value.slice(at + 1);
      const forged = service.withCookie(`svc_session=${tampered}`, caller.csrfToken);
      expect((await forged.get('/api/auth/me')).status, `character ${at}`).toBe(401);
    }
    expect(await isSignedIn(caller)).toBe(true);
  });

  test('does not hold under another secret: rotating it ends all sessions', async () => {
    const caller = await signInAs(PERSONA.nobody);
    await service.reconfigure({ SVC_SESSION_SECRET: 'rotated-secret' });
    expect(await isSignedIn(caller)).toBe(false);
    await service.reconfigure({});
    expect(await isSignedIn(caller)).toBe(true);
  });

  test('signed rightly but without a row behind it is no session', async () => {
    const id = 'B'.repeat(43);
    const signature = createHmac('sha256', service.runtime().config.SVC_SESSION_SECRET)
      .update(`svc-session:${id}`)
      .digest('base64url');
    const caller = service.withCookie(`svc_session=${id}.${signature}`, 'token');
    expect((await caller.get('/api/auth/me')).status).toBe(401);
  });

  test('is found among other cookies', async () => {
    const { cookie, csrfToken } = await signInAs(PERSONA.nobody);
    const caller = service.withCookie(`a=1; xsvc_session=2; ${cookie}; b=3`, csrfToken);
    expect((await caller.get('/api/auth/me')).status).toBe(200);
  });

  test('is found behind bad ones of its name', async () => {
    const [ended, good] = [await signInAs(PERSONA.nobody), await signInAs(PERSONA.nobody)];
    expect((await ended.post('/api/auth/logout')).status).toBe(200);
    const forged = `svc_session=${'A'.repeat(43)}.${'B'.repeat(43)}`;
    const malformed = Array.from({ length: 40 }, (_, n) => `svc_session=${n % 2 === 0 ? '' : `"${n}"`}`);
    const unbacked = [1, 2, 3, 4, 5].map((n) => {
      const id = `${n}`.repeat(43);
      const { SVC_SESSION_SECRET } = service.runtime().config;
      return `svc_session=${id}.${createHmac('sha256', SVC_SESSION_SECRET).update(`svc-session:${id}`).digest('base64url')}`;
    });
    const before = [...malformed, forged, forged, forged, forged, ...unbacked, ended.cookie];
    const caller = service.withCookie([...before, good.cookie].join('; '), good.csrfToken);
    expect((await caller.get('/api/auth/me')).status).toBe(200);
    // It is the session that ends, too.
    expect((await caller.post('/api/auth/logout')).status).toBe(200);
    expect(await isSignedIn(good)).toBe(false);
  });
});

describe('a session', () => {
  test('is who the database says, whatever the caller sends', async () => {
    const caller = await signInAs(PERSONA.nobody);
    const { body } = await caller.get<Me>('/api/auth/me', {
      'x-principal-id': PERSONA.auditor,
      'x-tenant-id': OTHER,
      'x-ms-client-principal': Buffer.from('{"userId":"root"}').toString('base64'),
    });
    expect(body).toMatchObject({ principalId: PERSONA.nobody, tenantId: DEV, roles: [] });
    const refused = await caller.post('/api/auth/dev/login', {
      principalId: PERSONA.nobody,
      roles: ['auditor'],
    });
    expect(refused.status).toBe(400);
  });

  test('loads roles and owned domains again with each request', async () => {
    const caller = await signInAs(PERSONA.legalOwner);
    expect((await caller.get<Me>('/api/auth/me')).body.ownedDomains).toEqual(['dom_legal']);
    await database.inspect(sql`
      update owner_assignments set ended_at = now() where tenant_id = ${DEV} and principal_id = ${PERSONA.legalOwner}`);
    await database.inspect(sql`
      insert into principal_roles values (${DEV}, ${PERSONA.legalOwner}, 'auditor')`);
    expect((await caller.get<Me>('/api/auth/me')).body).toMatchObject({
      ownedDomains: [],
      roles: ['auditor', 'domain_owner'],
    });
  });

  test('ends when its principal is disabled', async () => {
    const caller = await signInAs(PERSONA.approver);
    await database.inspect(sql`
      update principals set status = 'disabled' where principal_id = ${PERSONA.approver}`);
    expect(await isSignedIn(caller)).toBe(false);
    await database.inspect(sql`
      update principals set status = 'active' where principal_id = ${PERSONA.approver}`);
  });

  test('ends at logout, which clears the cookie and leaves other sessions alone', async () => {
    const [one, two] = [await signInAs(PERSONA.nobody), await signInAs(PERSONA.nobody)];
    const { status, body, cookies } = await one.post('/api/auth/logout');
    expect([status, body]).toEqual([200, { ok: true }]);
    expect(cookies[0]).toMatch(/^svc_session=;/);
    expect([await isSignedIn(one), await isSignedIn(two)]).toEqual([false, true]);
  });

  test('logout without a session answers the same', async () => {
    const { status, body } = await service.anonymous.post('/api/auth/logout');
    expect([status, body]).toEqual([200, { ok: true }]);
  });

  test('ends after an hour without a request and goes on with one in between', async () => {
    const [idle, used] = [await signInAs(PERSONA.nobody), await signInAs(PERSONA.nobody)];
    service.clock.advance(58 * MINUTE);
    expect(await isSignedIn(used)).toBe(true);
    service.clock.advance(3 * MINUTE);
    expect([await isSignedIn(idle), await isSignedIn(used)]).toEqual([false, true]);
  });

  test('ends after twelve hours however much it is used', async () => {
    const caller = await signInAs(PERSONA.nobody);
    for (let minutes = 45; minutes <= 675; minutes += 45) {
      service.clock.advance(45 * MINUTE);
      expect(await isSignedIn(caller), `after ${minutes} minutes`).toBe(true);
    }
    service.clock.advance(45 * MINUTE);
    expect(await isSignedIn(caller)).toBe(false);
  });

  test('of dev mode is refused in production, that of the identity provider is not', () =>
    inProduction(async () => {
      const dev = await insertSession(PRODUCTION.SVC_SESSION_SECRET, 'dev');
      const idp = await insertSession(PRODUCTION.SVC_SESSION_SECRET, 'idp');
      const { status, body } = await service.withCookie(dev, 'token').get('/api/auth/me');
      expect(status).toBe(401);
      expect(body).toMatchObject({ error: 'authentication_required' });
      expect((await service.withCookie(idp, 'token').get('/api/auth/me')).status).toBe(200);
    }));

  test('of dev mode is refused in production even when the boot guard was passed', async () => {
    const { config } = service.runtime();
    const cookie = await insertSession(config.SVC_SESSION_SECRET, 'dev');
    const caller = service.withCookie(cookie, 'token');
    expect((await caller.get('/api/auth/me')).status).toBe(200);
    config.SVC_ENV = 'production';
    expect((await caller.get('/api/auth/me')).status).toBe(401);
    config.SVC_ENV = 'development';
  });
});

describe('the CSRF token', () => {
  test('is required of every change made with a session', async () => {
    const { cookie, csrfToken } = await signInAs(PERSONA.nobody);
    for (const token of ['', 'wrong', `${csrfToken}x`, csrfToken.slice(1), csrfToken.toUpperCase()]) {
      const { status, text, headers } = await service.withCookie(cookie, token).post('/api/auth/logout');
      expect(status).toBe(403);
      expect(text).toBe('{"error":"csrf_token_invalid"}');
      expect(headers.has('x-svc-auth-mode')).toBe(false);
    }
    const without = await service.anonymous.post('/api/auth/logout', {}, { cookie });
    expect(without.status).toBe(403);
    expect((await service.withCookie(cookie, csrfToken).post('/api/auth/logout')).status).toBe(200);
  });

  test('of another session does not do', async () => {
    const [one, two] = [await signInAs(PERSONA.nobody), await signInAs(PERSONA.nobody)];
    expect(one.csrfToken).not.toBe(two.csrfToken);
    expect((await service.withCookie(one.cookie, two.csrfToken).post('/api/auth/logout')).status).toBe(403);
  });

  test('is not asked of what exists in development alone: it is not found', () =>
    inProduction(async () => {
      const cookie = await insertSession(PRODUCTION.SVC_SESSION_SECRET, 'idp');
      for (const path of [
        '/api/dev/fixture/mutate',
        '/api/dev/notifications/simulate',
        '/api/auth/dev/login',
      ])
        for (const token of ['token', 'wrong', ''])
          expect((await service.withCookie(cookie, token).post(path, {})).status, path).toBe(404);
    }));

  test('is checked before the capability and before the body', async () => {
    const { cookie } = await signInAs(PERSONA.nobody);
    const { status, body } = await service.withCookie(cookie, 'wrong').post('/api/scans', 'not json');
    expect([status, body]).toEqual([403, { error: 'csrf_token_invalid' }]);
  });

  test('is not asked of reads, nor of callers without a session', async () => {
    const { cookie } = await signInAs(PERSONA.nobody);
    expect((await service.withCookie(cookie, 'wrong').get('/api/auth/me')).status).toBe(200);
    expect((await service.withCookie('svc_session=none', 'wrong').post('/api/auth/logout')).status).toBe(200);
  });
});

describe('authorization', () => {
  test('asks for a session first', async () => {
    for (const path of ['/api/auth/me', '/api/audit', '/api/scans']) {
      const { status, body } = await service.anonymous.get(path);
      expect([status, body]).toMatchObject([401, { error: 'authentication_required' }]);
    }
  });

  test('refuses who lacks the capability and audits the denial with it', async () => {
    const caller = await signInAs(PERSONA.platformAdmin);
    const { status, body } = await caller.get('/api/audit', { 'x-svc-correlation': 'denied-in-the-test' });
    expect([status, body]).toMatchObject([403, { error: 'not_permitted' }]);
    const auditor = await signInAs(PERSONA.auditor);
    const { body: audit } = await auditor.get<{ items: { correlationId: string }[] }>('/api/audit');
    expect(audit.items.find((event) => event.correlationId === 'denied-in-the-test')).toMatchObject({
      category: 'auth',
      type: 'authorization_denied',
      principalId: PERSONA.platformAdmin,
      policyDecision: 'audit.read',
    });
  });

  test('refuses before it looks at parameters, query or body', async () => {
    const caller = await signInAs(PERSONA.nobody);
    expect((await caller.get('/api/scans/none?x=1')).status).toBe(403);
    expect((await caller.post('/api/scans', 'not json')).status).toBe(403);
  });
});
