import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  ConfigError,
  DEVELOPMENT_SESSION_SECRET,
  loadConfig,
  SettingsSchema,
  scheduleOf,
} from '../../core/config/config.ts';
import { configurationTable } from '../../core/config/config-table.ts';

const SECRET = 'correct-horse-battery';
const DATABASE = { SVC_DATABASE_URL: 'postgres://localhost/governance' };
const PRODUCTION = { ...DATABASE, SVC_ENV: 'production', SVC_SESSION_SECRET: SECRET };
const DEVELOPMENT = { ...DATABASE, SVC_ENV: 'development', SVC_AUTH_MODE: 'dev' };

/** The names of the settings that the refusal is about. */
function refused(env: Record<string, string | undefined>): string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError)
      return [...error.message.matchAll(/^ {2}(\w+):/gm)].map((match) => match[1] ?? '');
    throw error;
  }
  return [];
}

describe('prices of the AI provider', () => {
  const priced = (SVC_AI_PRICES: string, more: Record<string, string> = {}) =>
    refused({ ...DEVELOPMENT, SVC_AI_PRICES, ...more });

  it('are read by model', () => {
    const { SVC_AI_PRICES: read } = loadConfig({
      ...DEVELOPMENT,
      SVC_AI_PRICES: '{"writer":{"input":0.15,"output":0.6},"__proto__":{"input":1}}',
    });
    expect(read?.get('writer')).toEqual({ input: 0.15, output: 0.6 });
    expect(read?.get('toString')).toBeUndefined();
  });

  it.each([
    'writer',
    '[]',
    '{"writer":1}',
    '{"writer":{}}',
    '{"writer":{"input":-1}}',
    '{"writer":{"input":"1"}}',
    '{"writer":{"input":1,"ouput":1}}',
    '{"":{"input":1}}',
  ])('refuse %s', (wrong) => {
    expect(priced(wrong)).toEqual(['SVC_AI_PRICES']);
  });

  it('are needed of each model where there is a cap', () => {
    const models = { SVC_AI_DEPLOYMENT: 'embedder', SVC_AI_CHAT_DEPLOYMENT: 'writer' };
    expect(priced('{}', models)).toEqual([]);
    const cap = { ...models, SVC_AI_MONTHLY_CAP: '10' };
    expect(refused({ ...DEVELOPMENT, ...cap })).toEqual(['SVC_AI_PRICES', 'SVC_AI_PRICES']);
    expect(priced('{"embedder":{"input":1}}', cap)).toEqual(['SVC_AI_PRICES']);
    expect(priced('{"embedder":{"input":1},"writer":{"input":1,"output":1}}', cap)).toEqual([]);
  });

  it.each(['-1', 'ten', 'Infinity'])('refuse %s as a cap', (SVC_AI_MONTHLY_CAP) => {
    expect(refused({ ...DEVELOPMENT, SVC_AI_MONTHLY_CAP })).toEqual(['SVC_AI_MONTHLY_CAP']);
  });
});

describe('the credential of the AI provider', () => {
  const ai = (more: Record<string, string>) =>
    refused({
      ...DEVELOPMENT,
      ...{ SVC_AI_ENDPOINT: 'https://name.openai.azure.com', SVC_AI_DEPLOYMENT: 'embedder', ...more },
    });
  const SVC_AI_AZURE_IDENTITY = 'true';

  it('is a key or the Azure identity, and not both', () => {
    expect(ai({ SVC_AI_AZURE_IDENTITY })).toEqual([]);
    expect(ai({ SVC_AI_KEY_REF: 'AI_KEY' })).toEqual([]);
    expect(ai({ SVC_AI_KEY_REF: 'AI_KEY', SVC_AI_AZURE_IDENTITY })).toEqual(['SVC_AI_AZURE_IDENTITY']);
  });

  it.each(['http://models.example', 'HTTP://models.example'])('is no token sent to %s', (SVC_AI_ENDPOINT) => {
    expect(ai({ SVC_AI_ENDPOINT, SVC_AI_AZURE_IDENTITY })).toEqual(['SVC_AI_ENDPOINT']);
    expect(ai({ SVC_AI_ENDPOINT })).toEqual([]);
  });
});

describe('an address that the service calls', () => {
  const NAMES = [
    'SVC_AI_ENDPOINT',
    'SVC_IDP_ISSUER',
    'SVC_BLOB_ACCOUNT_URL',
    'SVC_S3_ENDPOINT',
    'SVC_BLOB_FILES_URL',
    'SVC_TRACES_ENDPOINT',
    'SVC_LICENSE_SERVICE_URL',
    'SVC_TELEMETRY_URL',
  ];

  it('is of a setting that this test knows', () => {
    const calls = Object.keys(SettingsSchema.shape).filter((name) => /_(?:URL|ENDPOINT|ISSUER)$/.test(name));
    const others = ['SVC_DATABASE_URL', 'SVC_MIGRATION_DATABASE_URL', 'SVC_WEBHOOK_PUBLIC_URL'];
    expect(calls.sort()).toEqual([...NAMES, ...others].sort());
  });

  it.each(NAMES)('%s has no user name, no password, and is of no cloud service of the machine', (name) => {
    for (const env of [PRODUCTION, DEVELOPMENT]) {
      for (const address of [
        'https://user@host.example',
        'https://user:password@host.example/v1',
        ...[
          '169.254.169.254',
          '[fe80::1]',
          '[::ffff:169.254.169.254]',
          '[64:ff9b::169.254.169.254]',
          '2852039166',
          '0xa9.0xfe.0xa9.0xfe',
        ].map((host) => `https://${host}/v1`),
        ...['[fd00:ec2::254]', '0.0.0.0', '[::]', '168.63.129.16', '100.100.100.200'].map(
          (host) => `https://${host}`,
        ),
        ...['metadata.google.internal', 'METADATA.google.internal.', 'metadata'].map(
          (host) => `https://${host}`,
        ),
      ])
        expect(refused({ ...env, [name]: address }), address).toEqual([name]);
      expect(refused({ ...env, [name]: 'https://169.254.example/v1' })).toEqual([]);
      expect(refused({ ...env, [name]: 'https://10.1.2.3/v1' })).toEqual([]);
    }
  });

  it.each([
    ['SVC_AI_ENDPOINT', 'http://models.example', false],
    ['SVC_AI_ENDPOINT', 'http://127.0.0.1:8000', false],
    ['SVC_IDP_ISSUER', 'http://id.example', false],
    ['SVC_IDP_ISSUER', 'http://127.0.0.1:8080', true],
    ['SVC_BLOB_ACCOUNT_URL', 'http://blob.example', false],
    ['SVC_S3_ENDPOINT', 'http://minio.example', false],
    ['SVC_BLOB_FILES_URL', 'http://files.example', false],
    ['SVC_TRACES_ENDPOINT', 'http://collector:4318/v1/traces', true],
  ])('%s in production without TLS: %s', (name, address, isTaken) => {
    expect(refused({ ...PRODUCTION, [name]: address })).toEqual(isTaken ? [] : [name]);
    expect(refused({ ...DEVELOPMENT, [name]: address })).toEqual([]);
  });

  it('of a private model server may lack TLS and a key, by a setting', () => {
    const own = { ...PRODUCTION, SVC_AI_ENDPOINT: 'http://ollama:11434/v1', SVC_AI_PRIVATE_NETWORK: 'true' };
    expect(refused(own)).toEqual([]);
    expect(refused({ ...own, SVC_AI_KEY_REF: 'AI_KEY' })).toEqual(['SVC_AI_PRIVATE_NETWORK']);
    expect(refused({ ...own, SVC_AI_ENDPOINT: 'http://169.254.169.254/v1' })).toEqual(['SVC_AI_ENDPOINT']);
    expect(refused({ ...own, SVC_AI_ENDPOINT: 'http://a:b@ollama/v1' })).toEqual(['SVC_AI_ENDPOINT']);
    const keyed = { ...PRODUCTION, SVC_AI_ENDPOINT: 'http://ollama:11434/v1', SVC_AI_KEY_REF: 'AI_KEY' };
    expect(refused(keyed)).toEqual(['SVC_AI_ENDPOINT']);
  });
});

describe('second opinions', () => {
  it('are off, and need a chat deployment of a live provider', () => {
    expect(loadConfig(DEVELOPMENT).SVC_AI_SECOND_OPINION).toBe(false);
    const on = { ...DEVELOPMENT, SVC_AI_SECOND_OPINION: 'true' };
    expect(refused(on)).toEqual([]);
    expect(refused({ ...on, SVC_AI_ENDPOINT: 'https://ai.example' })).toEqual(['SVC_AI_CHAT_DEPLOYMENT']);
    const chat = { SVC_AI_ENDPOINT: 'https://ai.example', SVC_AI_CHAT_DEPLOYMENT: 'writer' };
    expect(refused({ ...on, ...chat })).toEqual([]);
    for (const most of ['0', '1000001'])
      expect(refused({ ...on, SVC_AI_SECOND_OPINIONS_PER_SCAN: most })).toEqual([
        'SVC_AI_SECOND_OPINIONS_PER_SCAN',
      ]);
  });
});

describe('settings of the license', () => {
  const secret = (value: string) => ({ SVC_LICENSE_SECRET_REF: 'LICENSE_SECRET', LICENSE_SECRET: value });
  const LONG = 'x'.repeat(32);

  it('refuse a short secret, and any secret in production', () => {
    expect(refused({ ...DEVELOPMENT, ...DATABASE, ...secret(LONG) })).toEqual([]);
    expect(refused({ ...DEVELOPMENT, ...DATABASE, ...secret('short') })).toEqual(['SVC_LICENSE_SECRET_REF']);
    expect(refused({ ...PRODUCTION, ...secret(LONG) })).toEqual(['SVC_LICENSE_SECRET_REF']);
  });

  it('refuse an address without https, except one of this machine in development', () => {
    const to = (SVC_LICENSE_SERVICE_URL: string, env = DEVELOPMENT as Record<string, string>) =>
      refused({ ...env, ...DATABASE, SVC_LICENSE_SERVICE_URL });
    for (const own of ['http://127.0.0.1:7080', 'http://localhost:7080', 'http://[::1]:7080'])
      expect([to(own), to(own, PRODUCTION)]).toEqual([[], ['SVC_LICENSE_SERVICE_URL']]);
    expect(to('http://license.example.com')).toEqual(['SVC_LICENSE_SERVICE_URL']);
    expect(to('http://127.0.0.1.example.com')).toEqual(['SVC_LICENSE_SERVICE_URL']);
    expect(to('https://license.example.com', PRODUCTION)).toEqual([]);
    const telemetry = { SVC_TELEMETRY_URL: 'http://telemetry.example.com' };
    expect(refused({ ...DEVELOPMENT, ...DATABASE, ...telemetry })).toEqual(['SVC_TELEMETRY_URL']);
  });

  it('refuse an address with a user name or a password', () => {
    for (const name of ['SVC_LICENSE_SERVICE_URL', 'SVC_TELEMETRY_URL'])
      for (const user of ['user', 'user:password', ':password'])
        expect(
          refused({ ...DEVELOPMENT, ...DATABASE, [name]: `https://${user}@vendor.example.com` }),
        ).toEqual([name]);
  });
});

describe('boot guards', () => {
  it('refuse dev sign-in in production', () => {
    expect(refused({ ...PRODUCTION, SVC_AUTH_MODE: 'dev' })).toEqual(['SVC_AUTH_MODE']);
    expect(refused({ ...PRODUCTION, SVC_AUTH_MODE: 'idp' })).toEqual([]);
    expect(refused(DEVELOPMENT)).toEqual([]);
  });

  it('refuse production without a session secret, or with the development default', () => {
    expect(refused({ ...PRODUCTION, SVC_SESSION_SECRET: undefined })).toEqual(['SVC_SESSION_SECRET']);
    expect(refused({ ...PRODUCTION, SVC_SESSION_SECRET: DEVELOPMENT_SESSION_SECRET })).toEqual([
      'SVC_SESSION_SECRET',
    ]);
    expect(refused(PRODUCTION)).toEqual([]);
    expect(refused({ ...DEVELOPMENT, SVC_SESSION_SECRET: DEVELOPMENT_SESSION_SECRET })).toEqual([]);
  });

  it('refuse a session secret of fewer than 8 characters everywhere', () => {
    for (const env of [PRODUCTION, DEVELOPMENT]) {
      expect(refused({ ...env, SVC_SESSION_SECRET: '' })).toEqual(['SVC_SESSION_SECRET']);
      expect(refused({ ...env, SVC_SESSION_SECRET: '1234567' })).toEqual(['SVC_SESSION_SECRET']);
      expect(refused({ ...env, SVC_SESSION_SECRET: 'q7-Fd2xW' })).toEqual([]);
    }
  });

  it.each([
    ...['12345678', 'password', 'Passw0rd!', 'changeme', 'ChangeMe123!', 'change-me-please', 'supersecret'],
    ...['my-session-secret', 'YOUR_SECRET_KEY_HERE', 'qwertyuiop', 'letmein1', 'admin1234', 'keyboard cat'],
    ...['aaaaaaaaaaaaaaaaaaaaaaaa', 'abababababababab', 'abcdefghijklmnopqrstuvwxyz', '0000000000000001'],
    ...['secretsecretsecretsecret', '11112222333344445555', '9876543210', 'xY1xY1xY1xY1xY1xY1'],
    'your-256-bit-secret',
    'supersecretpassword123!',
    'thisisaverysecretsecret',
    'qwertyuiopasdfghjklzxcvbnm',
    'correct horse battery staple',
    'keyboardcatkeyboardcat1',
  ])('refuse %s as the session secret of production alone', (SVC_SESSION_SECRET) => {
    expect(refused({ ...PRODUCTION, SVC_SESSION_SECRET })).toEqual(['SVC_SESSION_SECRET']);
    expect(refused({ ...DEVELOPMENT, SVC_SESSION_SECRET })).toEqual([]);
  });

  it('take session secrets that somebody made up or drew', () => {
    const made = Array.from({ length: 200 }, () => randomBytes(24).toString('base64url'));
    const drawn = Array.from({ length: 200 }, () => randomBytes(16).toString('hex'));
    for (const secret of [
      ...made,
      ...drawn,
      'q7-Fd2xW',
      'rotated-secret',
      'a-session-secret-of-its-own',
      'twelve chars',
    ])
      expect(refused({ ...PRODUCTION, SVC_SESSION_SECRET: secret }), secret).toEqual([]);
  });

  it.each([
    ['SVC_SMB_SHARES', '../secret'],
    ['SVC_SMB_SHARES', 'finance,people/../../etc'],
    ['SVC_SMB_SHARES', '/etc'],
    ['SVC_SMB_SHARES', './finance'],
    ['SVC_API_AUDIENCE', '*'],
    ['SVC_API_AUDIENCE', 'api://*'],
    ['SVC_API_AUDIENCE', 'one, two'],
    ['SVC_IDP_TENANT_ID', 'common'],
    ['SVC_IDP_TENANT_ID', 'Organizations'],
    ['SVC_IDP_TENANT_ID', 'consumers'],
    ['SVC_IDP_TENANT_ID', '{tenantid}'],
    ['SVC_IDP_TENANT_ID', 'contoso.onmicrosoft.com'],
    ['SVC_GRAPH_TENANT_ID', 'common'],
    ['SVC_IDP_ISSUER', 'https://login.microsoftonline.com/common/v2.0'],
    ['SVC_IDP_ISSUER', 'https://login.microsoftonline.us/organizations/v2.0'],
    ['SVC_IDP_ISSUER', 'https://login.microsoftonline.com/{tenantid}/v2.0'],
  ])('refuse a value of %s that cannot work or means anything: %s', (name, value) => {
    expect(refused({ ...PRODUCTION, [name]: value })).toEqual([name]);
  });

  it('take shares, an audience and a directory that are what they must be', () => {
    const settings = {
      SVC_SMB_SHARES: '.',
      SVC_API_AUDIENCE: 'api://6731de76-14a6-49ae-97bc-6eba6914391e',
      SVC_IDP_TENANT_ID: '72f988bf-86f1-41af-91ab-2d7cd011db47',
      SVC_GRAPH_TENANT_ID: 'contoso.onmicrosoft.com',
    };
    expect(refused({ ...PRODUCTION, ...settings })).toEqual([]);
    expect(refused({ ...PRODUCTION, SVC_SMB_SHARES: 'finance,people/europe, a b' })).toEqual([]);
    expect(refused({ ...PRODUCTION, SVC_IDP_ISSUER: 'https://id.example/realms/common' })).toEqual([]);
  });

  it('refuse a previous session secret that is short, or no other than the present one', () => {
    const previous = (value: string, env = PRODUCTION) =>
      refused({ ...env, SVC_SESSION_SECRET_PREVIOUS: value });
    for (const wrong of ['1234567', SECRET, DEVELOPMENT_SESSION_SECRET])
      expect(previous(wrong)).toEqual(['SVC_SESSION_SECRET_PREVIOUS']);
    // A weak one of before is accepted while it is rotated.
    expect([previous('12345678'), previous('')]).toEqual([[], []]);
    const development = { ...DEVELOPMENT, SVC_SESSION_SECRET: SECRET };
    expect(previous(SECRET, development)).toEqual(['SVC_SESSION_SECRET_PREVIOUS']);
    expect(previous(DEVELOPMENT_SESSION_SECRET, development)).toEqual([]);
    expect(() => loadConfig({ ...PRODUCTION, SVC_SESSION_SECRET_PREVIOUS: SECRET })).toThrow(
      /is the same as SVC_SESSION_SECRET; set that to a new secret/,
    );
  });

  it('take an environment that is not named for production', () => {
    expect(refused(DATABASE)).toEqual(['SVC_SESSION_SECRET']);
    expect(refused({ ...DATABASE, SVC_AUTH_MODE: 'dev' })).toEqual(['SVC_AUTH_MODE', 'SVC_SESSION_SECRET']);
  });

  it('name every setting that is wrong, at once', () => {
    expect(refused({ SVC_ENV: 'staging', SVC_DATABASE_POOL_SIZE: 'many' })).toEqual([
      'SVC_ENV',
      'SVC_DATABASE_URL',
      'SVC_DATABASE_POOL_SIZE',
    ]);
  });

  it('never show a value', () => {
    // Empty after trimming, too long, or of the wrong kind: each setting refuses one of these.
    const wrong = ['canary!', 'canary'.repeat(2000), ' '];
    for (const name of Object.keys(SettingsSchema.shape)) {
      const messages = wrong.flatMap((value) => {
        try {
          loadConfig({ ...DEVELOPMENT, [name]: value });
          return [];
        } catch (error) {
          return [String(error)];
        }
      });
      expect(messages, name).not.toEqual([]);
      expect(messages.join('\n')).toContain(name);
      expect(messages.join('\n')).not.toContain('canary');
    }
  });
});

describe('settings', () => {
  it('that are empty are unset', () => {
    const unset = loadConfig(DEVELOPMENT);
    const names = Object.keys(SettingsSchema.shape).filter(
      (name) => !(name in DEVELOPMENT) && name !== 'SVC_SESSION_SECRET',
    );
    const empty = loadConfig({ ...DEVELOPMENT, ...Object.fromEntries(names.map((name) => [name, ''])) });
    const withoutSecrets = { secret: null, secretIn: null };
    expect({ ...empty, ...withoutSecrets }).toEqual({ ...unset, ...withoutSecrets });
    expect(refused({ ...DEVELOPMENT, SVC_DATABASE_URL: '' })).toEqual(['SVC_DATABASE_URL']);
  });

  it('are safe when nothing is configured', () => {
    expect(loadConfig(PRODUCTION)).toMatchObject({
      SVC_AUTH_MODE: 'idp',
      SVC_CONNECTOR_MODE: 'mock',
      SVC_DEMO_MODE: false,
      SVC_LABEL_WRITE_ENABLED: false,
      SVC_MAIL_MAILBOXES: [],
    });
    expect(loadConfig(PRODUCTION).SVC_AI_ENDPOINT).toBeUndefined();
  });

  it('that are ids of keys are nothing else', () => {
    const id = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';
    const ids = (value: string) => ({ ...PRODUCTION, SVC_AUDIT_TRUSTED_KEY_IDS: value });
    expect(loadConfig(ids(`${id}, ${id} `)).SVC_AUDIT_TRUSTED_KEY_IDS).toEqual([id, id]);
    for (const wrong of [`${id}=`, id.slice(1), `${id} ${id}`])
      expect(refused(ids(wrong))).toEqual(['SVC_AUDIT_TRUSTED_KEY_IDS']);
  });

  it('that are lists are split at commas and trimmed', () => {
    const { SVC_MAIL_MAILBOXES } = loadConfig({
      ...DEVELOPMENT,
      SVC_MAIL_MAILBOXES: ' a@x.example ,, b@x.example,',
    });
    expect(SVC_MAIL_MAILBOXES).toEqual(['a@x.example', 'b@x.example']);
  });

  it.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ])('that are flags read %s', (value, expected) => {
    expect(loadConfig({ ...DEVELOPMENT, SVC_SMB_ENABLED: value }).SVC_SMB_ENABLED).toBe(expected);
  });

  it('a standalone worker looks every 500 ms and leases 20 units at once', () => {
    expect(loadConfig(DEVELOPMENT)).toMatchObject({ SVC_WORKER_TICK_MS: 500, SVC_WORKER_LEASE_BATCH: 20 });
  });

  it.each([
    ['SVC_DATABASE_POOL_SIZE', 2, 100],
    ['SVC_WORKER_CONCURRENCY', 1, 64],
    ['SVC_SESSION_IDLE_MINUTES', 1, 1440],
    ['SVC_EXTRACT_MAX_INPUT_MB', 1, 1024],
  ] as const)('%s lies within its bounds', (name, least, most) => {
    for (const value of [least, most]) {
      expect(loadConfig({ ...DEVELOPMENT, [name]: String(value) })[name]).toBe(value);
    }
    for (const value of [least - 1, most + 1, least + 0.5, 'NaN', 'Infinity', 'true']) {
      expect(refused({ ...DEVELOPMENT, [name]: String(value) })).toEqual([name]);
    }
  });

  it.each([
    ['SVC_WEBHOOK_PUBLIC_URL', 'http://hooks.example', 'https://hooks.example'],
    ['SVC_AI_ENDPOINT', 'file:///etc/passwd', 'https://ai.example'],
    ['SVC_BLOB_ACCOUNT_URL', 'javascript:alert(1)', 'https://blob.example'],
    ['SVC_IDP_REDIRECT_URI', 'example.com/callback', 'https://gov.example/api/auth/idp/callback'],
  ] as const)('%s is an address of the right kind', (name, bad, good) => {
    expect(refused({ ...DEVELOPMENT, [name]: bad })).toEqual([name]);
    expect(loadConfig({ ...DEVELOPMENT, [name]: good })[name]).toBe(good);
  });
});

describe('the schedule of deltas', () => {
  it.each(['0 0 * * * *', '0 */15 6-20 * * mon-fri', '30 5 3 1 1 *'])('may be %s', (schedule) => {
    expect(loadConfig({ ...DEVELOPMENT, SVC_DELTA_SCHEDULE: schedule }).SVC_DELTA_SCHEDULE).toBe(schedule);
    expect(scheduleOf('SVC_DELTA_SCHEDULE', { SVC_DELTA_SCHEDULE: schedule })).toBe(schedule);
  });

  it.each(['hourly', '0 * * * *', '0 0 25 * * *', '0 0 0 30 2 *', '01:00:00', '0 0 * * * * *'])(
    'is refused at boot as %s, and no timer is declared by it',
    (schedule) => {
      expect(refused({ ...DEVELOPMENT, SVC_DELTA_SCHEDULE: schedule })).toEqual(['SVC_DELTA_SCHEDULE']);
      expect(scheduleOf('SVC_DELTA_SCHEDULE', { SVC_DELTA_SCHEDULE: schedule })).toBeUndefined();
    },
  );

  it('is off by default', () => {
    for (const env of [{}, { SVC_DELTA_SCHEDULE: '' }])
      expect(scheduleOf('SVC_DELTA_SCHEDULE', env)).toBeUndefined();
  });
});

describe('a secret reference', () => {
  const secretOf = (env: Record<string, string>) =>
    loadConfig({ ...DEVELOPMENT, ...env }).secret('SVC_GRAPH_CLIENT_SECRET_REF');

  it('resolves to the variable that it names, and the setting shows the name only', () => {
    const env = { SVC_GRAPH_CLIENT_SECRET_REF: 'GRAPH_SECRET', GRAPH_SECRET: ' s3cret' };
    expect(secretOf(env)).toBe(' s3cret');
    const { secret, ...settings } = loadConfig({ ...DEVELOPMENT, ...env });
    expect(secret('SVC_IDP_CLIENT_SECRET_REF')).toBeNull();
    expect(JSON.stringify(settings)).not.toContain('s3cret');
  });

  it.each<[string, Record<string, string>]>([
    ['unset', {}],
    ['dangling', { SVC_GRAPH_CLIENT_SECRET_REF: 'GRAPH_SECRET' }],
    ['to an empty variable', { SVC_GRAPH_CLIENT_SECRET_REF: 'GRAPH_SECRET', GRAPH_SECRET: '' }],
    ['to a blank variable', { SVC_GRAPH_CLIENT_SECRET_REF: 'GRAPH_SECRET', GRAPH_SECRET: ' \n' }],
    ['to what every object inherits', { SVC_GRAPH_CLIENT_SECRET_REF: 'constructor' }],
  ])('does not resolve when it is %s', (_, env) => {
    expect(secretOf(env)).toBeNull();
  });

  it('is refused where it cannot be the name of a variable', () => {
    expect(refused({ ...DEVELOPMENT, SVC_AI_KEY_REF: 'sk-canary/123' })).toEqual(['SVC_AI_KEY_REF']);
    expect(refused({ ...DEVELOPMENT, SVC_AI_KEY_REF: 'A'.repeat(129) })).toEqual(['SVC_AI_KEY_REF']);
  });
});

describe('named instances of a source', () => {
  const HR = { accountUrl: 'https://hr.example', credentialRef: 'HR_SECRET', containers: ['files'] };
  const read = (value: unknown, env: Record<string, string> = DEVELOPMENT) =>
    loadConfig({ ...env, SVC_BLOB_INSTANCES: JSON.stringify(value) });

  it('are an object of JSON, and their secrets are found by reference', () => {
    const config = loadConfig({
      ...DEVELOPMENT,
      SVC_BLOB_INSTANCES: JSON.stringify({ hr: HR, 'legal-2': { accountUrl: 'https://legal.example' } }),
      HR_SECRET: 'canary',
    });
    expect([...(config.SVC_BLOB_INSTANCES ?? [])]).toEqual([
      ['hr', { ...HR, shares: [] }],
      ['legal-2', { accountUrl: 'https://legal.example', containers: [], shares: [] }],
    ]);
    expect(config.secretIn('HR_SECRET')).toBe('canary');
    expect(config.secretIn('ELSEWHERE')).toBeNull();
  });

  it.each<[string, unknown, string]>([
    ['no object', ['canary'], 'must be a JSON object of instances by name'],
    ['a name with a space', { 'canary s': HR }, 'must name instances by small letters'],
    ['the name of the one without', { default: HR }, 'must name instances by small letters'],
    ['an unknown field', { hr: { ...HR, canary: 1 } }, 'hr: has a field that is not known'],
    [
      'the secret in the place of its name',
      { hr: { ...HR, credentialRef: 'canary=/' } },
      'hr.credentialRef: must be',
    ],
    ['no address', { hr: { ...HR, accountUrl: 'canary' } }, 'hr.accountUrl: Invalid URL'],
    [
      'too many',
      Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`i${at}`, HR])),
      'must have at most 50',
    ],
  ])('are refused with %s, and the refusal quotes nothing', (_, value, message) => {
    let refusal = '';
    try {
      read(value);
    } catch (error) {
      refusal = String(error);
    }
    expect(refusal).toContain(`SVC_BLOB_INSTANCES: ${message}`);
    expect(refusal).not.toContain('canary');
  });

  it('follow the rules for addresses that the service calls', () => {
    const plain = { hr: { ...HR, accountUrl: 'http://hr.example' } };
    expect(() => read(plain)).not.toThrow();
    expect(() => read(plain, PRODUCTION)).toThrow('SVC_BLOB_INSTANCES.hr.accountUrl: must be https');
    const store = { endpoint: 'http://minio.example', credentialRef: 'MINIO', buckets: ['files'] };
    expect(() => loadConfig({ ...PRODUCTION, SVC_S3_INSTANCES: JSON.stringify({ store }) })).toThrow(
      'SVC_S3_INSTANCES.store.endpoint: must be https',
    );
  });
});

describe('credentials of the productivity suite', () => {
  it('are one of three, since nobody could say which of two is used', () => {
    const each = {
      SVC_GRAPH_CLIENT_SECRET_REF: 'GRAPH_SECRET',
      SVC_GRAPH_CERTIFICATE_REF: 'GRAPH_CERTIFICATE',
      SVC_GRAPH_MANAGED_IDENTITY: 'true',
    };
    for (const [name, value] of Object.entries(each))
      expect(() => loadConfig({ ...DEVELOPMENT, [name]: value })).not.toThrow();
    expect(refused({ ...DEVELOPMENT, ...each })).toEqual([
      'SVC_GRAPH_CERTIFICATE_REF',
      'SVC_GRAPH_MANAGED_IDENTITY',
    ]);
  });
});

describe('secrets from files', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'canary-secrets-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let files = 0;
  const holding = (content: string | Uint8Array) => {
    const name = path.join(folder, `canary-${files++}`);
    writeFileSync(name, content);
    return name;
  };
  const pipe = () => {
    const name = path.join(folder, `canary-${files++}`);
    execFileSync('mkfifo', [name]);
    return name;
  };
  /** What the refusal says. Neither a path nor any content is ever in it. */
  const refusal = (env: Record<string, string | undefined>) => {
    try {
      loadConfig(env);
    } catch (error) {
      expect(String(error)).not.toMatch(/canary/i);
      return String(error);
    }
    return '';
  };
  const REFERRED = { ...DEVELOPMENT, SVC_AI_KEY_REF: 'AI_KEY' };

  const NAMES = [
    'SVC_SESSION_SECRET',
    'SVC_SESSION_SECRET_PREVIOUS',
    'SVC_DATABASE_URL',
    'SVC_MIGRATION_DATABASE_URL',
  ] as const;

  it.each(NAMES)('%s may come from a file', (name) => {
    const env = { ...PRODUCTION, [name]: undefined, [`${name}_FILE`]: holding('canary://in-a-file\n') };
    expect(loadConfig(env)[name]).toBe('canary://in-a-file');
  });

  it('that a reference leads to take effect when they change', () => {
    const file = holding('before');
    const { secret } = loadConfig({ ...REFERRED, AI_KEY_FILE: file });
    expect(secret('SVC_AI_KEY_REF')).toBe('before');
    writeFileSync(file, 'after\n');
    expect(secret('SVC_AI_KEY_REF')).toBe('after');
    rmSync(file);
    expect(secret('SVC_AI_KEY_REF')).toBeNull();
  });

  it('may be what a reference names', () => {
    const { secret } = loadConfig({ ...REFERRED, AI_KEY_FILE: holding('canary') });
    expect(secret('SVC_AI_KEY_REF')).toBe('canary');
    const blank = loadConfig({ ...REFERRED, AI_KEY: ' ', AI_KEY_FILE: holding('canary') });
    expect(blank.secret('SVC_AI_KEY_REF')).toBe('canary');
    expect(loadConfig({ ...REFERRED, AI_KEY: 'canary', AI_KEY_FILE: '' }).secret('SVC_AI_KEY_REF')).toBe(
      'canary',
    );
  });

  it.each([
    ['canary\n', 'canary'],
    ['canary\r\n', 'canary'],
    ['canary\n\n', 'canary\n'],
    [' canary ', ' canary '],
    ['-----\ncanary\n-----\n', '-----\ncanary\n-----'],
    ['\ufeffcanary', 'canary'],
    ['canary'.padEnd(65_536, '.'), 'canary'.padEnd(65_536, '.')],
  ])('lose one newline at their end and nothing else: %#', (content, expected) => {
    expect(loadConfig({ ...REFERRED, AI_KEY_FILE: holding(content) }).secret('SVC_AI_KEY_REF')).toBe(
      expected,
    );
  });

  const BAD: [string, () => string, string][] = [
    ['missing', () => path.join(folder, 'canary-none'), 'cannot be read'],
    ['a folder', () => folder, 'cannot be read'],
    ['a pipe that nobody writes', pipe, 'cannot be read'],
    ['no path at all', () => 'canary\0', 'cannot be read'],
    ['empty', () => holding(''), 'an empty file'],
    ['blank', () => holding(' \n'), 'an empty file'],
    ['too large', () => holding('canary'.padEnd(65_537, '.')), 'more than 64 KiB'],
    ['no text', () => holding(Buffer.from([0x63, 0xff, 0xfe])), 'not text'],
  ];
  it.each(BAD)('that are %s are refused at start by the name of the setting', (_, file, why) => {
    for (const name of NAMES) {
      const env = { ...PRODUCTION, [name]: undefined, [`${name}_FILE`]: file() };
      expect(refused(env)).toEqual([`${name}_FILE`]);
      expect(refusal(env)).toContain(why);
    }
    const env = { ...REFERRED, AI_KEY_FILE: file() };
    expect(refused(env)).toEqual(['SVC_AI_KEY_REF']);
    expect(refusal(env)).toContain(why);
  });

  it('are refused beside their variables', () => {
    const file = holding('canary-of-a-file');
    for (const name of NAMES) {
      const env = { ...PRODUCTION, [name]: 'canary://in-a-variable', [`${name}_FILE`]: file };
      expect(refused(env)).toEqual([`${name}_FILE`]);
      expect(refusal(env)).toContain(`is set beside ${name}`);
    }
    const env = { ...REFERRED, AI_KEY: 'canary-of-a-variable', AI_KEY_FILE: file };
    expect(refused(env)).toEqual(['SVC_AI_KEY_REF']);
    expect(refusal(env)).toContain('set one of them');
  });

  it('obey the bounds of their settings and the boot guards', () => {
    const short = {
      ...PRODUCTION,
      SVC_SESSION_SECRET: undefined,
      SVC_SESSION_SECRET_FILE: holding('canary'),
    };
    expect(refused(short)).toEqual(['SVC_SESSION_SECRET']);
    expect(refusal(short)).not.toBe('');
    const known = { ...short, SVC_SESSION_SECRET_FILE: holding(DEVELOPMENT_SESSION_SECRET) };
    expect(refused(known)).toEqual(['SVC_SESSION_SECRET']);
  });

  it('do not tell the name of a variable, where somebody put the secret itself', () => {
    const wrong = { ...DEVELOPMENT, SVC_AI_KEY_REF: 'canary', canary_FILE: folder };
    expect(refusal(wrong)).toContain('SVC_AI_KEY_REF');
  });

  it('of the storage account are left to the host', () => {
    const { AzureWebJobsStorage } = loadConfig({
      ...DEVELOPMENT,
      AzureWebJobsStorage_FILE: holding('canary'),
    });
    expect(AzureWebJobsStorage).toBeUndefined();
  });
});

describe('the configuration table', () => {
  const rows = configurationTable(SettingsSchema).split('\n');

  it('has a row of four cells for every setting, in order', () => {
    expect(rows.slice(2).map((row) => row.match(/^\| `(\w+)` \|/)?.[1])).toEqual(
      Object.keys(SettingsSchema.shape),
    );
    for (const row of rows) {
      const cells = row.split(/(?<!\\)\|/).slice(1, -1);
      expect(cells).toHaveLength(4);
      for (const cell of cells) expect(cell.trim()).not.toMatch(/^$|undefined|null|NaN|object/);
    }
  });

  it.each([
    ['SVC_DATABASE_URL', '| required | 1 to 2048 characters |'],
    ['SVC_SESSION_SECRET', '| 8 to 1024 characters |'],
    ['SVC_ENV', '| `production` | `development`, `production` |'],
    ['SVC_DATABASE_POOL_SIZE', '| `10` | 2 to 100 |'],
    ['SVC_SMB_ENABLED', '| `false` | `true` or `false` |'],
    ['SVC_MAIL_MAILBOXES', '| none | comma-separated, at most 8192 characters |'],
    ['SVC_AI_KEY_REF', '| unset | name of a variable |'],
    ['SVC_DATABASE_URL_FILE', '| unset | path |'],
    ['SVC_AI_ENDPOINT', '| unset | URL |'],
  ])('tells default and bounds of %s', (name, end) => {
    expect(rows.find((row) => row.startsWith(`| \`${name}\``))).toSatisfy((row: string) => row.endsWith(end));
  });
});
