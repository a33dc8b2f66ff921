import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminListPrincipals, adminRegisterPrincipal } from '../../client/generated/admin/admin.ts';
import { assetsList } from '../../client/generated/assets/assets.ts';
import { auditVerify } from '../../client/generated/audit/audit.ts';
import { authShowPrincipal } from '../../client/generated/auth/auth.ts';
import {
  governanceApproveDomain,
  governanceApproveInformationType,
  governanceAssignOwner,
  governanceListTaxonomy,
} from '../../client/generated/governance/governance.ts';
import {
  onboardingGenerateTaxonomy,
  onboardingSaveProfile,
} from '../../client/generated/onboarding/onboarding.ts';
import { reviewDecide } from '../../client/generated/review/review.ts';
import { scansGet, scansStart } from '../../client/generated/scans/scans.ts';
import { sourcesConnect, sourcesList } from '../../client/generated/sources/sources.ts';
import type { ProviderAccount } from '../../infra/local/identity-provider.ts';
import { signInAtProvider } from '../../infra/local/sign-in-at-provider.ts';
import { startBrowser } from '../support/browser.ts';
import { withConsole } from '../support/console.ts';
import { ownDecisions, type Person, personWith, questionAbout, queueOf } from '../support/person.ts';
import { type Production, prepareProduction } from '../support/production.ts';

/*
 * The first day of a deployment: the build in production mode, two database logins, an empty database, an identity
 * provider. Everybody in the story knows only what a command has printed and what the API has shown them. The tests are
 * its chapters, in order.
 */
let production: Production;
let browser: Browser;
let share: string;

const account = (subject: string, displayName: string, claims = {}): ProviderAccount => ({
  ...{ subject, displayName, claims },
  email: `${subject}@acme.example`,
});
/** The organization. The service knows nobody of them at first, and the provider gives a role to the auditor alone. */
const accounts = [
  account('ada', 'Ada Bauer'),
  account('grace', 'Grace Okoro'),
  account('otto', 'Otto Lang', { roles: ['Governance.Auditor'] }),
  account('mallory', 'Mallory Crane'),
  account('fay', 'Fay Novak'),
];

const INVOICE = 'Invoice 4711 Baltic Castings.txt';
const DOCUMENTS: Readonly<Record<string, string>> = {
  [INVOICE]:
    'Invoice 4711 of Baltic Castings. Amount due: EUR 12,480.00. Payment terms: 30 days net, purchase order PO-2207. ' +
    'Please send the remittance for this invoice to IBAN DE89 3704 0044 0532 0130 00. VAT is shown on the invoice.',
  'Open invoices March.csv': [
    'invoice,supplier,purchase order,amount due,IBAN',
    '4711,Baltic Castings,PO-2207,12480.00,DE89370400440532013000',
    '4712,Forge & Sons,PO-2210,3120.50,GB33BUKB20201555555555',
    '4713,Copperline,PO-2214,870.00,FR1420041010050500013M02606',
  ].join('\n'),
  'Payroll April.csv': [
    'employee,gross pay,deductions,net pay,bonus',
    'Joanna Fischer,4200.00,1380.00,2820.00,0.00',
    'Matthew Walker,5100.00,1790.00,3310.00,250.00',
  ].join('\n'),
};

beforeAll(async () => {
  share = await mkdtemp(path.join(tmpdir(), 'production-share-'));
  await mkdir(path.join(share, 'office'));
  for (const [name, text] of Object.entries(DOCUMENTS))
    await writeFile(path.join(share, 'office', name), text);
  production = await prepareProduction(() => accounts, {
    SVC_IDP_ROLES: 'Governance.Auditor=auditor',
    SVC_SMB_ENABLED: 'true',
    SVC_SMB_ROOT: share,
    SVC_SMB_SHARES: 'office',
  });
  await withConsole();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await production?.stop();
  await rm(share, { recursive: true, force: true });
});

/** Opens a link in a browser of its own and chooses an account; what the browser has and shows in the end. */
async function signInWithBrowser(link: string, displayName: string) {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(0);
  const callback = page.waitForResponse((response) =>
    response.url().startsWith(`${production.url}/api/auth/idp/callback`),
  );
  await page.goto(link);
  await page.getByRole('button', { name: `Sign in as ${displayName}` }).click();
  const status = (await callback).status();
  await page.waitForLoadState();
  const heading = await page.locator('h1, h2').first().textContent();
  const session = (await context.cookies()).find(({ name }) => name === 'svc_session');
  const ended = { status, path: new URL(page.url()).pathname, heading, text: await page.textContent('body') };
  await context.close();
  return { ...ended, session };
}

/** Signs in as a browser does. */
async function enter(subject: string, query = ''): Promise<{ person: Person; cookie: string }> {
  const login = `${production.url}/api/auth/idp/login${query}`;
  const { status, body, cookies } = await signInAtProvider(login, subject);
  expect([status, body]).toEqual([302, '']);
  const cookie = `svc_session=${cookies.get(new URL(production.url).host)?.get('svc_session')}`;
  return { person: await personWith(production.url, cookie), cookie };
}

let setupCode: string;
let ownerCode: string;
let invitationCode: string;
let ada: Person;
let grace: Person;
let owner: Person;
const FINANCE = 'Finance and Accounting';
let financeId: string;

test('commands make schema and tenant, and print a link for the first administrator', async () => {
  const examined = await production.command('doctor', '--only', 'database');
  expect([examined.code, examined.err]).toEqual([1, '']);
  expect(examined.out).toMatch(
    /✗ database\.schema .* lacks \d+ migrations of this release\.\n {4}Run npm run migrate\./,
  );
  const migrated = await production.command('migrate');
  expect(migrated).toMatchObject({ code: 0, err: '' });
  const made = await production.command('tenant', 'init', 'acme', '--name', 'Acme Ltd');
  expect(made).toMatchObject({ code: 0, err: '' });
  expect(made.out).toContain(`Created acme for the people of ${production.issuer}`);
  setupCode = /\(one hour, used once\): (\S+)/.exec(made.out)?.[1] ?? expect.unreachable(made.out);
  expect(made.out).toContain(`Open ${production.url}/api/auth/idp/login?code=${setupCode} and sign in.`);
});

test('the service starts without the login that owns the schema, and is ready', async () => {
  await production.start();
  const ready = await fetch(`${production.url}/api/ready`);
  expect([ready.status, await ready.json()]).toMatchObject([
    200,
    {
      status: 'ok',
      env: 'production',
      demoMode: false,
      integrations: { idpSignIn: 'live', smbConnector: 'live' },
    },
  ]);
});

test('the doctor finds nothing that fails, and tells what to look at', async () => {
  const { code, out, err } = await production.command('doctor', '--json');
  expect([code, err]).toEqual([0, '']);
  const { checks } = JSON.parse(out) as { checks: { id: string; status: string }[] };
  const of = (status: string) => checks.filter((check) => check.status === status).map(({ id }) => id);
  // The fixture is on, the cluster of tests has no autovacuum, and the share is a folder of the test.
  expect(of('warn')).toEqual(['configuration.production', 'database.statistics', 'sources.smb-read-only']);
  expect(of('pass')).toEqual(
    expect.arrayContaining([
      'database.login',
      'storage.queue',
      'identity-provider.keys',
      'audit.checkpoints',
      'sources.smb',
    ]),
  );
});

test('whoever opens the link first becomes administrator, in a browser', async () => {
  const link = `${production.url}/api/auth/idp/login?code=${setupCode}`;
  const { status, path, heading, session } = await signInWithBrowser(link, 'Ada Bauer');
  expect({ status, path, heading }).toEqual({
    status: 302,
    path: '/',
    heading: expect.stringMatching(/^Good .+, Ada$/),
  });
  expect(session).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax' });
  ada = await personWith(production.url, `svc_session=${session?.value}`);
  expect(await authShowPrincipal(ada)).toMatchObject({
    ...{ tenantId: 'acme', authMode: 'idp', displayName: 'Ada Bauer' },
    roles: ['platform_admin'],
  });
});

test('the link is of no use a second time, and says so', async () => {
  const link = `${production.url}/api/auth/idp/login?code=${setupCode}`;
  const { status, heading, session } = await signInWithBrowser(link, 'Mallory Crane');
  expect({ status, heading, session }).toEqual({
    ...{ status: 403, heading: 'This code is no longer valid' },
    session: undefined,
  });
});

test('a stranger reads whom to ask, and gets nothing else', async () => {
  const { status, heading, text, session } = await signInWithBrowser(
    `${production.url}/api/auth/idp/login`,
    'Mallory Crane',
  );
  expect({ status, heading, session }).toEqual({
    ...{ status: 403, heading: 'You have no access to this service' },
    session: undefined,
  });
  expect(text).not.toContain('Mallory');
  const { items } = await adminListPrincipals({}, ada);
  expect(items.map(({ displayName }) => displayName)).toEqual(['Ada Bauer']);
});

test.each([
  ['GET', '/api/auth/dev/personas'],
  ['POST', '/api/auth/dev/login'],
  ['POST', '/api/dev/fixture/mutate'],
  ['POST', '/api/dev/notifications/simulate'],
])('%s %s is not there', async (method, target) => {
  const body = method === 'POST' ? '{}' : null;
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(`${production.url}${target}`, { method, headers, body })).status).toBe(404);
});

test('the administrator describes the organization and invites a governance admin', async () => {
  const profile = { name: 'Acme Ltd', industries: ['Manufacturing'], geographies: ['Germany'] };
  await onboardingSaveProfile(profile, ada);
  const { invitation } = await adminRegisterPrincipal(
    { displayName: 'Grace Okoro', invite: true, roles: ['governance_admin'] },
    ada,
  );
  invitationCode = invitation?.code ?? expect.unreachable();
  grace = (await enter('grace', `?code=${invitationCode}`)).person;
  expect(await authShowPrincipal(grace)).toMatchObject({ roles: ['governance_admin'] });
});

test('a taxonomy is drafted, and the governance administrator approves part of it', async () => {
  await onboardingGenerateTaxonomy(grace);
  const taxonomy = () => governanceListTaxonomy(grace);
  const drafts = (await taxonomy()).items;
  expect(new Set(drafts.map(({ status }) => status))).toEqual(new Set(['draft']));
  const wanted = drafts.filter(({ name }) => [FINANCE, 'Human Resources'].includes(name));
  for (const { id, revision, informationTypes } of wanted) {
    await governanceApproveDomain(id, { revision }, grace);
    for (const type of informationTypes)
      await governanceApproveInformationType(type.id, { revision: type.revision }, grace);
  }
  const approved = (await taxonomy()).items.filter(({ status }) => status === 'approved');
  expect(approved.map(({ name }) => name)).toEqual([FINANCE, 'Human Resources']);
  financeId = approved[0]?.id ?? expect.unreachable();
});

test('somebody who was invited owns a domain before they have signed in', async () => {
  const { invitation } = await adminRegisterPrincipal(
    { displayName: 'Fay Novak', invite: true, roles: ['domain_owner'] },
    ada,
  );
  ownerCode = invitation?.code ?? expect.unreachable();
  const { items } = await adminListPrincipals({}, grace);
  const { principalId } =
    items.find(({ displayName }) => displayName === 'Fay Novak') ?? expect.unreachable();
  await governanceAssignOwner({ principalId, domainId: financeId }, grace);
});

test('a share is connected, and the service scans it', async () => {
  expect(await sourcesConnect({ family: 'smb' }, ada)).toMatchObject({
    ...{ scopesRegistered: 1, mode: 'live' },
  });
  const { items } = await sourcesList(ada);
  expect(items.map(({ name }) => name)).toEqual(['office']);
  const scopeId = items[0]?.scopeId ?? expect.unreachable();
  const { campaignId } = await scansStart({ scopeId, kind: 'inventory' }, ada);
  const progress = () => scansGet(campaignId, ada);
  await expect.poll(async () => (await progress()).status).toBe('completed');
  expect(await progress()).toMatchObject({ workUnits: { pending: 0, leased: 0, dead: 0 } });
  const found = await assetsList({}, grace);
  expect(found.items.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(DOCUMENTS)));
});

test('the owner signs in for the first time and answers a question of their queue', async () => {
  owner = (await enter('fay', `?code=${ownerCode}`)).person;
  expect(await authShowPrincipal(owner)).toMatchObject({
    roles: ['domain_owner'],
    ownedDomains: [financeId],
  });
  const queue = await queueOf(owner);
  expect(queue.map(({ assetName }) => assetName).toSorted()).toEqual([INVOICE, 'Open invoices March.csv']);
  const question = await questionAbout(owner, INVOICE);
  expect(question).toMatchObject({ domainName: FINANCE, informationTypeName: 'Invoices and payments' });
  const { candidateId, revision } = question;
  expect(await reviewDecide(candidateId, { decision: 'mine', revision }, owner)).toMatchObject({
    status: 'confirmed',
  });
  expect(await ownDecisions(owner)).toMatchObject([{ assetName: INVOICE, decision: 'mine', stands: true }]);
});

test('an auditor by claim finds the trail whole, here and in an export of it', async () => {
  const { person: otto, cookie } = await enter('otto');
  const verified = () => auditVerify(otto);
  await expect.poll(async () => (await verified()).checkpoints).toBeGreaterThan(0);
  expect(await verified()).toMatchObject({ ok: true, signing: 'configured', firstBreak: null });
  const exported = await fetch(`${production.url}/api/exports/audit?format=ndjson`, { headers: { cookie } });
  const trail = await exported.text();
  const [file, key] = [path.join(share, 'audit.ndjson'), path.join(share, 'audit-key.pem')];
  await writeFile(file, trail);
  await writeFile(key, production.auditPublicKey);
  const { code, out } = await production.command('audit-verify', file, '--public-key', key);
  expect([code, out]).toEqual([0, expect.stringContaining('The export holds.')]);
  for (const type of [
    ...['tenant_created', 'setup_code_made', 'idp_login', 'idp_login_refused', 'principal_invited'],
    ...['identity_bound', 'role_granted', 'owner_assigned', 'scan_completed', 'candidate_decided'],
  ])
    expect(trail).toContain(`"type":"${type}"`);
});

test('neither the trail nor the log bears a code, a name or an address', async () => {
  const { cookie } = await enter('otto');
  const exported = await fetch(`${production.url}/api/exports/audit?format=ndjson`, { headers: { cookie } });
  const written = `${await exported.text()}\n${production.logs()}`;
  expect(written).toContain('"event":"sign_in_refused"');
  for (const secret of [
    setupCode,
    invitationCode,
    'acme.example',
    ...accounts.map((each) => each.displayName),
  ])
    expect(written).not.toContain(secret);
});
