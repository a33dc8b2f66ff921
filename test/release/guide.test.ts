import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SettingsSchema } from '../../core/config/config.ts';
import { withClient } from '../../core/db/client.ts';
import { urlOf } from '../../core/db/provision.ts';
import { loadFunctions } from '../../docs/load-functions.ts';
import { type LocalStorage, startAzurite } from '../../infra/local/azurite.ts';
import { freePort } from '../../infra/local/free-port.ts';
import { type IdentityProvider, startIdentityProvider } from '../../infra/local/identity-provider.ts';
import { type LocalPostgres, removePostgres, startPostgres } from '../../infra/local/postgres.ts';
import { keptData } from '../../infra/local/postgres-home.ts';
import { signInAtProvider } from '../../infra/local/sign-in-at-provider.ts';
import { selfSigned } from '../support/certificate.ts';
import { commandsOf, type GuideCommand, openShell, type Shell } from '../support/guide.ts';

/*
 * Follows docs/getting-started-production.md by its own commands, in its order, from an empty folder. What a reader fills
 * in is in `written`; what a reader does beside the commands, such as to sign in, is in `then`.
 */
const root = path.resolve(import.meta.dirname, '../..');
const page = await readFile(path.join(root, 'docs/getting-started-production.md'), 'utf8');
const commands = commandsOf(page);

/** Commands that nothing here can answer, with the reason. What they name is checked. */
const MICROSOFT_365 = 'It needs a tenant of Microsoft 365.';
const NOT_HERE: Readonly<Record<string, string>> = {
  "export SVC_IDP_TENANT_ID='…'": 'The issuer of another provider takes its place.',
  'npm start -- --graph-fake': 'It starts a stack of its own: test/release/graph-fake.test.ts does.',
  "export SVC_GRAPH_TENANT_ID='…'": MICROSOFT_365,
  "export SVC_GRAPH_CLIENT_ID='…'": MICROSOFT_365,
  "export SVC_GRAPH_CLIENT_SECRET_REF=GRAPH_SECRET GRAPH_SECRET='…'": MICROSOFT_365,
  'or: SVC_GRAPH_CERTIFICATE_REF=GRAPH_PEM GRAPH_PEM_FILE=/run/secrets/graph.pem': MICROSOFT_365,
  'or: SVC_GRAPH_MANAGED_IDENTITY=true': MICROSOFT_365,
  "export SVC_GRAPH_SITES='contoso.sharepoint.com:/sites/finance,contoso.sharepoint.com:/sites/hr'":
    MICROSOFT_365,
  'or: SVC_GRAPH_SITES=all': MICROSOFT_365,
  'export SVC_LABEL_READ_ENABLED=true': MICROSOFT_365,
  'export SVC_CHANGE_NOTIFICATIONS_ENABLED=true': MICROSOFT_365,
  "export SVC_WEBHOOK_PUBLIC_URL='https://governance.example.com'": MICROSOFT_365,
  "export SVC_DELTA_SCHEDULE='0 0 */4 * * *'": MICROSOFT_365,
  'call POST /api/admin/connector/test': MICROSOFT_365,
  'call POST /api/sources/connect \'{"family": "m365"}\'': MICROSOFT_365,
  'call POST /api/admin/notifications/subscribe \'{"scopeId": "…"}\'': MICROSOFT_365,
  'npm run tenant -- grant': 'It names the command, which step 5 runs.',
  'TOKEN=$(curl -s https://login.microsoftonline.com/$DIRECTORY/oauth2/v2.0/token -d grant_type=client_credentials -d client_id=$CALLER -d client_secret=$CALLER_SECRET -d scope=api://$CLIENT_ID/.default | jq -r .access_token)':
    'It needs an application in Entra.',
  'curl -s -H "authorization: Bearer $TOKEN" $HOST/api/sources': 'It needs an application in Entra.',
};

const account = (subject: string, displayName: string, claims = {}) => ({
  ...{ subject, displayName, claims },
  email: `${subject}@acme.example`,
});
const accounts = [
  account('ada', 'Ada Bauer'),
  account('grace', 'Grace Okoro'),
  account('frank', 'Frank Mayer'),
  account('otto', 'Otto Lang', { roles: ['Governance.Auditor'] }),
];
const INVOICE =
  'Invoice 4711 of Baltic Castings. Amount due: EUR 12,480.00. Payment terms: 30 days net, purchase order PO-2207. ' +
  'Please send the remittance for this invoice to IBAN DE89 3704 0044 0532 0130 00. VAT is shown on the invoice.';
const CLIENT = { clientId: 'governance', clientSecret: 'a-secret-of-this-client' };
const PASSWORD = 'p-w';

let work: string;
let url: string;
let postgres: LocalPostgres;
let storage: LocalStorage;
let provider: IdentityProvider;
let shell: Shell;
let host: ChildProcess | undefined;

beforeAll(async () => {
  work = await mkdtemp(path.join(tmpdir(), 'guide-'));
  url = `http://127.0.0.1:${await freePort(0)}`;
  for (const share of ['finance', 'people'])
    await mkdir(path.join(work, 'shares', share), { recursive: true });
  for (const share of ['finance', 'people'])
    await writeFile(path.join(work, 'shares', share, 'Invoice 4711.txt'), INVOICE);
  await mkdir(path.join(work, 'empty'));
  [postgres, storage, provider] = await Promise.all([
    postgresWithTls(),
    startAzurite({ inMemory: true, log: () => undefined }),
    startIdentityProvider({
      port: 0,
      accounts: () => accounts,
      clients: [{ ...CLIENT, redirectUris: [`${url}/api/auth/idp/callback`] }],
    }),
  ]);
  const { PATH = '', HOME, NODE_EXTRA_CA_CERTS } = process.env;
  const folders = PATH.split(':').filter((folder) => !folder.includes('node_modules'));
  const env = { PATH: folders.join(':'), HOME, NODE_EXTRA_CA_CERTS };
  shell = openShell(path.join(work, 'empty'), env);
});
afterAll(async () => {
  shell?.end();
  if (host?.exitCode === null) {
    const exited = once(host, 'exit');
    host.kill('SIGTERM');
    await exited;
  }
  await Promise.all([provider?.close(), storage?.stop(), postgres?.stop()]);
  await removePostgres(path.join(work, 'postgres'));
  await rm(work, { recursive: true, force: true });
});

/** As the guide asks for: its certificate is checked, by an authority of its own. */
async function postgresWithTls(): Promise<LocalPostgres> {
  const dataDir = path.join(work, 'postgres');
  const server = await startPostgres({ dataDir, durable: false, log: () => undefined });
  const data = (await keptData(dataDir)) ?? expect.unreachable();
  const { uid, gid } = await stat(data);
  const { cert, key } = selfSigned(30);
  await writeFile(path.join(work, 'ca.pem'), cert);
  for (const [name, content] of Object.entries({ 'server.crt': cert, 'server.key': key })) {
    await writeFile(path.join(data, name), content, { mode: 0o600 });
    await chown(path.join(data, name), uid, gid);
  }
  await withClient(server.url, async (admin) => {
    await admin.query('alter system set ssl = on');
    await admin.query('select pg_reload_conf()');
  });
  return server;
}

const loginUrl = (name: string) =>
  `${urlOf(postgres.url, { database: 'governance', login: { name, password: PASSWORD } })}?sslmode=verify-full&sslrootcert=${path.join(work, 'ca.pem')}`;

/** What the API and the commands have said so far: the parts that a reader copies from it. */
const seen = new Map<string, string>();
const copied = (name: string) => seen.get(name) ?? expect.unreachable(name);
const Items = (output: string) => (JSON.parse(output) as { items: Record<string, string>[] }).items;

/** What a reader writes in the place of what. The first that is in the command. */
const written: readonly (readonly [string, () => string])[] = [
  ["password '…'", () => `password '${PASSWORD}'`],
  ['postgres://svc_runtime:…@db.example.com/governance?sslmode=verify-full', () => loginUrl('svc_runtime')],
  ['postgres://svc_owner:…@db.example.com/governance?sslmode=verify-full', () => loginUrl('svc_owner')],
  ['DefaultEndpointsProtocol=https;AccountName=…;AccountKey=…', () => storage.connectionString],
  ["SVC_IDP_CLIENT_ID='…'", () => `SVC_IDP_ISSUER='${provider.issuer}' SVC_IDP_CLIENT_ID=${CLIENT.clientId}`],
  ["IDP_CLIENT_SECRET='…'", () => `IDP_CLIENT_SECRET='${CLIENT.clientSecret}'`],
  ['https://governance.example.com', () => url],
  ['/mnt/shares', () => path.join(work, 'shares')],
  ['REPOSITORY', () => `file://${root}`],
  ['/srv/governance', () => path.join(work, 'deployed')],
  [
    'node dist/core/commands/migrate.js',
    () => `(cd ${work}/deployed && ${process.execPath} dist/core/commands/migrate.js)`,
  ],
  ['PRINCIPAL', () => copied('ada')],
  ['URL', () => provider.issuer],
  ['svc_session=…', () => copied('session')],
  ['DOMAIN', () => copied('domain')],
  ['TYPE', () => copied('type')],
  [
    '{"principalId": "…", "domainId": "…"}',
    () => JSON.stringify({ principalId: copied('frank'), domainId: copied('domain') }),
  ],
  ['"scopeId": "…"', () => `"scopeId": "${copied('scope')}"`],
  ['CANDIDATE', () => copied('candidate')],
  ['"subject": "…"', () => '"subject": "nightly-scan"'],
];
const filled = new Set<string>();
function asWritten(text: string): string {
  const found = written.find(([part]) => text.includes(part));
  if (found === undefined) return text;
  filled.add(found[0]);
  return text.replace(found[0], found[1]);
}

/** What a reader looks at, or does, after a command, by its beginning. */
const then: Readonly<Record<string, (output: string, text: string) => unknown>> = {
  'npm exec -- node infra/container/assemble.ts': () => startService(),
  'curl https://governance.example.com/api/ready': (output) =>
    expect(JSON.parse(output.slice(output.indexOf('{')))).toMatchObject({
      ...{ status: 'ok', env: 'production' },
      integrations: { idpSignIn: 'live', smbConnector: 'live' },
    }),
  'npm run doctor': (output) => expect(output).not.toContain('✗'),
  'npm run tenant -- init': async (output) => {
    await signIn('ada', /Open (\S+) and sign in/.exec(output)?.[1] ?? '');
  },
  'call GET /api/auth/me': (output) => seen.set('ada', JSON.parse(output).principalId),
  'call POST /api/admin/principals \'{"displayName"': (output, text) => {
    const { displayName } = JSON.parse(text.slice(text.indexOf('{'), -1)) as { displayName: string };
    seen.set(`code of ${displayName}`, JSON.parse(output).invitation.code);
  },
  'call GET /api/governance/taxonomy': (output) => {
    const { items } = JSON.parse(output) as {
      items: { id: string; name: string; informationTypes: { id: string }[] }[];
    };
    const finance = items.find(({ name }) => name === 'Finance and Accounting') ?? expect.unreachable();
    seen.set('domain', finance.id).set('type', finance.informationTypes[0]?.id ?? '');
  },
  "call GET '/api/admin/principals?q=frank'": (output) =>
    seen.set('frank', Items(output)[0]?.principalId ?? ''),
  'call GET /api/sources': (output) =>
    seen.set('scope', Items(output).find(({ name }) => name === 'finance')?.scopeId ?? ''),
  'call GET /api/scans': () =>
    expect.poll(async () => Items(await shell.run('call GET /api/scans'))[0]?.status).toBe('completed'),
  'call GET /api/review/queue': (output) => seen.set('candidate', Items(output)[0]?.candidateId ?? ''),
  'call POST /api/review/candidates/': (output) =>
    expect(JSON.parse(output)).toMatchObject({ status: 'confirmed' }),
  // As the guide says: it waits for the first checkpoint.
  'call GET /api/audit/verify': async () => {
    const verified = async () => JSON.parse(await shell.run('call GET /api/audit/verify'));
    await expect.poll(async () => (await verified()).checkpoints).toBeGreaterThan(0);
    expect(await verified()).toMatchObject({ ok: true, signing: 'configured' });
  },
  'npm run audit:verify': (output) => expect(output).toContain('The export holds.'),
};

/** By their texts: step 6 repeats some of step 7. */
const done = new Set<string>();
async function run(command: GuideCommand): Promise<void> {
  done.add(command.text);
  const output = await shell.run(asWritten(command.text));
  // The API answers an error with its envelope, and curl ends well.
  expect(output, command.text).not.toMatch(/"error":\s*"/);
  for (const [start, look] of Object.entries(then))
    if (command.text.startsWith(start)) await look(output, command.text);
}
/** All commands of a section, in order. */
async function follow(section: string): Promise<void> {
  const found = commands.filter((each) => each.section.startsWith(section));
  expect(found, section).not.toEqual([]);
  for (const command of found) if (!(command.text in NOT_HERE)) await run(command);
}

/** The Functions host, with the environment of the shell and what the guide says of the host. */
async function startService(): Promise<void> {
  const paragraph = page.split('\n').find((line) => line.includes('Give `/srv/governance`')) ?? '';
  const settings = [...paragraph.matchAll(/`(\w+)=(\S+)`/g)].map(([, name, value]) => [name, value] as const);
  expect(settings.map(([name]) => name)).toEqual([
    ...['AzureWebJobsDisableHomepage', 'AzureWebJobsSecretStorageType', 'languageWorkers__node__arguments'],
  ]);
  const { SVC_MIGRATION_DATABASE_URL: _owner, ...environment } = JSON.parse(
    await shell.run("node -p 'JSON.stringify(process.env)'"),
  ) as Record<string, string>;
  host = spawn(
    process.execPath,
    [path.join(root, 'test/support/image-host.ts'), path.join(work, 'deployed')],
    {
      cwd: path.join(work, 'deployed'),
      env: {
        ...environment,
        ...Object.fromEntries(settings),
        SVC_AUDIT_CHECKPOINT_SCHEDULE: '* * * * * *',
        PORT: new URL(url).port,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  if (host.stdout === null) throw new Error('The output of the host is not read.');
  for await (const chunk of host.stdout.iterator({ destroyOnReturn: false }))
    if (String(chunk).includes('{"url"')) break;
  host.stdout.resume();
}

/** Signs in, copies the cookie, and defines `call` as step 7 says. */
async function signIn(subject: string, link = `${url}/api/auth/idp/login`): Promise<void> {
  const { status, body, cookies } = await signInAtProvider(link, subject);
  expect([status, body]).toEqual([302, '']);
  seen.set('session', `svc_session=${cookies.get(new URL(url).host)?.get('svc_session')}`);
  for (const command of commands.filter(({ section }) => section.startsWith('7. ')))
    if (!command.text.startsWith('call POST')) await run(command);
}
const signInBy = (subject: string, name: string) =>
  signIn(subject, `${url}/api/auth/idp/login?code=${copied(`code of ${name}`)}`);

test('steps 2 and 3 make the database and the environment', async () => {
  for (const command of commands.filter(({ language }) => language === 'sql')) {
    done.add(command.text);
    await withClient(postgres.url, (admin) => admin.query(asWritten(command.text)));
  }
  await follow('3. ');
});

test('step 4 builds, migrates and starts, and the doctor finds nothing wrong', () => follow('4. '));

test('step 5 makes the tenant and its first administrator', () => follow('5. '));

test('step 6 examines the sources that there are', async () => {
  await run(commands.find(({ text }) => text.endsWith('--only sources')) ?? expect.unreachable());
});

test('step 7 goes from the profile to the answer of an owner', async () => {
  await follow('As the platform administrator');
  await signInBy('grace', 'Grace Okoro');
  await follow('As the governance administrator');
  await signIn('ada');
  await follow('The scan, as the platform administrator');
  await signInBy('frank', 'Frank Mayer');
  await follow('As the owner');
});

test('an auditor verifies the trail', async () => {
  await signIn('otto');
  await follow('As the auditor');
});

test('the commands for later work: causes, administrators, applications', async () => {
  await signIn('ada');
  await follow('When a sign-in fails');
  await follow('People and sessions');
  await follow('Applications that call the API');
  await run(commands.find(({ text }) => text === 'call POST /api/auth/logout') ?? expect.unreachable());
});

test('each command of the guide was run, or has a reason why it cannot be run here', () => {
  const left = commands.filter((each) => !done.has(each.text) && !(each.text in NOT_HERE));
  expect(left).toEqual([]);
  const texts = commands.map(({ text }) => text);
  expect(Object.keys(NOT_HERE).filter((text) => !texts.includes(text))).toEqual([]);
  expect(written.map(([part]) => part).filter((part) => !filled.has(part))).toEqual([]);
});

test('what the other commands name is there: settings, calls, scripts, flags', async () => {
  const { endpoints } = await loadFunctions();
  const calls = endpoints.map(({ method, path: route }) => `${method} ${route}`);
  const { scripts } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
  const usage = await shell.run('npm start -- --help');
  for (const text of Object.keys(NOT_HERE)) {
    for (const [name] of text.matchAll(/SVC_\w+/g)) expect(SettingsSchema.shape, text).toHaveProperty(name);
    for (const [, , variable] of text.matchAll(/(SVC_\w+_REF)=(\w+)/g))
      expect(text).toContain(` ${variable}`);
    for (const [, call] of text.matchAll(/call (\w+ \/\S+)/g)) expect(calls).toContain(call);
    for (const [, script] of text.matchAll(/npm (?:run )?(\w+)/g))
      expect(scripts).toHaveProperty([`${script}`]);
    for (const [flag] of text.matchAll(/ --\w[\w-]+/g)) expect(usage).toContain(flag.trim());
  }
});
