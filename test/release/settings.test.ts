import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { SettingsSchema } from '../../core/config/config.ts';
import { readProject } from '../../infra/container/prove/compose-file.ts';
import { type BicepValue, evaluateBicep, propertyIn } from '../support/bicep-values.ts';
import { keyOf, readByProcess, readWithFiles, SECRETS, SETTINGS } from '../support/every-setting.ts';

/*
 * A process that starts with what compose and Bicep make reads each setting and secret. test/release/helm.test.ts has the
 * chart.
 */
const root = path.resolve(import.meta.dirname, '../..');
const compose = path.join(root, 'infra/compose');
const azure = path.join(root, 'infra/azure');

/** A compose file that is given beside `compose.yaml`. */
const Beside = z.looseObject({
  services: z.record(
    z.string(),
    z.object({ environment: z.record(z.string(), z.string()), secrets: z.array(z.string()) }),
  ),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});
type Beside = z.infer<typeof Beside>;

/** What compose gives the process of a service: later files win, and lists of secrets are joined. */
async function containerOf(
  service: string,
  beside: readonly Beside[],
  env: Readonly<Record<string, string>> = {},
) {
  const folder = await mkdtemp(path.join(tmpdir(), 'compose-'));
  try {
    const lines = Object.entries(env).map(([name, value]) => `${name}='${value}'\n`);
    const example = await readFile(path.join(compose, '.env.example'), 'utf8');
    await writeFile(path.join(folder, '.env'), `${example}\n${lines.join('')}`);
    const file = path.join(compose, 'compose.yaml');
    const { services } = await readProject(file, path.relative(compose, path.join(folder, '.env')));
    const base = services.get(service) ?? expect.unreachable(service);
    const added = beside.map((each) => each.services[service] ?? { environment: {}, secrets: [] });
    return {
      env: Object.assign({}, base.environment, ...added.map(({ environment }) => environment)),
      secrets: [...base.secrets, ...added.flatMap((each) => each.secrets)],
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

test.each(['host', 'worker', 'migrate'])('compose gives %s each setting of its .env', async (service) => {
  const named = Object.keys(parseEnv(await readFile(path.join(compose, '.env.example'), 'utf8')));
  const settings = named.filter((name) => name in SettingsSchema.shape);
  expect(settings.length).toBeGreaterThan(8);
  const env = Object.fromEntries(settings.map((name) => [name, SETTINGS[name] ?? '']));
  const { env: given } = await containerOf(service, [], env);
  expect(given).toMatchObject(env);
});

test('a process reads the secrets of compose, and the former session secret beside it', async () => {
  const rotation = Beside.parse(
    parse(await readFile(path.join(compose, 'compose.rotation.yaml'), 'utf8'), { merge: true }),
  );
  for (const service of ['host', 'worker']) {
    const { env, secrets } = await containerOf(service, [rotation], {
      SVC_IDP_CLIENT_SECRET_REF: 'IDP_CLIENT_SECRET',
    });
    const files = Object.fromEntries(
      secrets.map((name) => [name, `a secret of its own for ${name}, of good length`]),
    );
    files['database-url'] = 'postgres://svc_runtime:word@postgres:5432/governance';
    // What is not for production here is the identity provider that nobody has set.
    const read = await readWithFiles(
      { ...env, SVC_ENV: 'development', SVC_AUTH_MODE: 'dev' },
      '/run/secrets',
      files,
    );
    expect(read).toMatchObject({
      SVC_DATABASE_URL: files['database-url'],
      SVC_SESSION_SECRET: files['session-secret'],
      SVC_SESSION_SECRET_PREVIOUS: files['session-secret-previous'],
      AzureWebJobsStorage: files.storage,
      AUDIT_SIGNING_KEY: files['audit-signing-key'],
      IDP_CLIENT_SECRET: files['idp-client-secret'],
    });
  }
});

test('a process reads every setting and secret from a file beside compose.yaml', async () => {
  const docs = await readFile(path.join(root, 'docs/deployment.md'), 'utf8');
  const shown = /```yaml\n(x-own: [\s\S]*?)```/.exec(docs)?.[1] ?? expect.unreachable();
  const own = Beside.parse(parse(shown, { merge: true }));
  // As shown, with everything that there is.
  const names = Object.keys(SECRETS);
  const everything = {
    environment: {
      ...SETTINGS,
      ...Object.fromEntries(names.map((name) => [`${name}_FILE`, `/run/secrets/${keyOf(name)}`])),
    },
    secrets: names.map(keyOf),
  };
  const files = Object.fromEntries(names.map((name) => [keyOf(name), SECRETS[name] ?? '']));
  const expected = await readByProcess({ ...SETTINGS, ...SECRETS });
  expect(Object.keys(own.services)).toEqual(['host', 'worker']);
  for (const service of Object.keys(own.services)) {
    const asShown = await containerOf(service, [own]);
    expect(asShown.env).toMatchObject({ GRAPH_CLIENT_SECRET_FILE: '/run/secrets/graph-client-secret' });
    expect(asShown.secrets.filter((name) => name in own.secrets)).toEqual(Object.keys(own.secrets));
    const { env } = await containerOf(service, [{ services: { [service]: everything }, secrets: {} }]);
    expect(await readWithFiles(env, '/run/secrets', files)).toEqual(expected);
  }
});

/** The parameters of a deployment, as the entries take them. */
const OF_TEMPLATE = ['SVC_AUDIT_SIGNING_KEY_REF', 'SVC_IDP_CLIENT_SECRET_REF'];
/** Variables of one's own that are called as the secrets of the template are. */
const LIKE_OF_TEMPLATE = [
  ...['POSTGRES_PASSWORD', 'OWNER_PASSWORD', 'RUNTIME_PASSWORD', 'DATABASE_URL', 'MIGRATION_DATABASE_URL'],
  ...['SESSION_SECRET', 'SESSION_SECRET_PREVIOUS'],
];
const PARAMS = {
  ...{ name: 'governance', hostImage: 'host', workerImage: 'worker', registryName: 'registry' },
  ...{ administratorPassword: 'a d/m', ownerPassword: 'o w/n', runtimePassword: 'r u/n' },
  sessionSecret: 'a session secret of a good length indeed',
  previousSessionSecret: 'the former session secret, of good length',
  auditSigningKey: 'the key of the audit',
  identityProviderSecret: 'the secret of the provider',
  settings: Object.fromEntries(Object.entries(SETTINGS).filter(([name]) => !OF_TEMPLATE.includes(name))),
  secretSettings: Object.fromEntries([
    ...Object.entries(SECRETS).filter(([name]) => !(name in SettingsSchema.shape)),
    ...LIKE_OF_TEMPLATE.map((name) => [name, `a value of its own for ${name}`] as const),
  ]),
};
const loginOf = (login: string, password: string) =>
  `postgres://${login}:${password}@db.example:5432/governance?sslmode=verify-full`;
/** What a process reads with these parameters, beside the settings. */
const RUNTIME = {
  SVC_AUDIT_SIGNING_KEY_REF: 'AUDIT_SIGNING_KEY',
  AUDIT_SIGNING_KEY: PARAMS.auditSigningKey,
  SVC_IDP_CLIENT_SECRET_REF: 'IDP_CLIENT_SECRET',
  IDP_CLIENT_SECRET: PARAMS.identityProviderSecret,
  SVC_SESSION_SECRET: PARAMS.sessionSecret,
  SVC_SESSION_SECRET_PREVIOUS: PARAMS.previousSessionSecret,
  SVC_DATABASE_URL: loginOf('svc_runtime', 'r%20u%2Fn'),
};
const OWNER = { SVC_MIGRATION_DATABASE_URL: loginOf('svc_owner', 'o%20w%2Fn') };

const entry = (file: string) => evaluateBicep(path.join(azure, file), PARAMS);

/** What is in the vault, by the address of the secret: the entry gives its module what it needs. */
async function vaultOf(declared: (name: string) => BicepValue): Promise<(address: string) => string> {
  const params = z.record(z.string(), z.unknown()).parse(propertyIn(declared('foundation'), 'params'));
  const foundation = await evaluateBicep(path.join(azure, 'modules/foundation.bicep'), params);
  const secrets = z
    .record(z.string(), z.string())
    .parse(propertyIn(foundation('vault'), 'params', 'secrets'));
  return (address) => {
    const name = /^<foundation.outputs.vaultUri>secrets\/([a-z\d-]+)$/.exec(address)?.[1] ?? '';
    return secrets[name]?.replace('<postgres.outputs.host>', 'db.example') ?? expect.unreachable(address);
  };
}

const Env = z.array(
  z.object({ name: z.string(), value: z.string().optional(), secretRef: z.string().optional() }),
);
const AppSecrets = z.array(z.object({ name: z.string().regex(/^[a-z\d-]+$/), keyVaultUrl: z.string() }));

const job = (name: string) => ({
  env: [name, 'properties', 'template', 'containers', 0, 'env'],
  secrets: [name, 'properties', 'configuration', 'secrets'],
});
const app = (name: string) => ({ env: [name, 'params', 'env'], secrets: [name, 'params', 'secrets'] });

test.each([
  ['host', app('host'), { ...SETTINGS, ...PARAMS.secretSettings, ...RUNTIME }],
  ['worker', app('worker'), { ...SETTINGS, ...PARAMS.secretSettings, ...RUNTIME }],
  ['command', job('runCommand'), { ...SETTINGS, ...PARAMS.secretSettings, ...RUNTIME, ...OWNER }],
  ['migrate', job('migrate'), { SVC_DATABASE_URL: RUNTIME.SVC_DATABASE_URL, ...OWNER }],
])('on Container Apps, %s reads every setting and secret', async (_, { env, secrets }, expected) => {
  const declared = await entry('container-apps.bicep');
  const inVault = await vaultOf(declared);
  const at = ([name = '', ...rest]: readonly (string | number)[]) => propertyIn(declared(`${name}`), ...rest);
  const mounted = new Map(AppSecrets.parse(at(secrets)).map(({ name, keyVaultUrl }) => [name, keyVaultUrl]));
  const given = Object.fromEntries(
    Env.parse(at(env)).map(({ name, value, secretRef = '' }) => [
      name,
      value ?? inVault(mounted.get(secretRef) ?? expect.unreachable(secretRef)),
    ]),
  );
  expect(given).toMatchObject(expected);
  if ('SVC_SESSION_SECRET' in expected)
    expect(await readByProcess(given)).toEqual(await readByProcess(expected));
});

test('on a Functions plan, the host reads every setting and secret', async () => {
  const declared = await entry('functions-plan.bicep');
  const inVault = await vaultOf(declared);
  const settings = z.record(z.string(), z.string()).parse(propertyIn(declared('appSettings'), 'properties'));
  const given = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      const reference = /^@Microsoft\.KeyVault\(SecretUri=(.+)\)$/.exec(value)?.[1];
      return [name, reference === undefined ? value : inVault(reference)];
    }),
  );
  const expected = { ...SETTINGS, ...PARAMS.secretSettings, ...RUNTIME };
  expect(given).toMatchObject(expected);
  expect(await readByProcess(given)).toEqual(await readByProcess(expected));
});
