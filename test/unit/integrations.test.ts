import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadConfig, SettingsSchema } from '../../core/config/config.ts';
import type { SourceFamily } from '../../core/connectors/connector.ts';
import {
  INTEGRATIONS,
  type IntegrationFacts,
  type IntegrationName,
  integrationModes,
  missingFor,
} from '../../core/integrations/integrations.ts';
import { SOURCE_FAMILIES } from '../../core/kernel/vocabulary.ts';

type Env = Record<string, string>;

const BASE: Env = {
  SVC_ENV: 'development',
  SVC_DATABASE_URL: 'postgres://localhost/governance',
  SVC_AUTH_MODE: 'dev',
};
const SUITE: Env = {
  SVC_GRAPH_TENANT_ID: 'directory',
  SVC_GRAPH_CLIENT_ID: 'reader',
  SVC_GRAPH_CLIENT_SECRET_REF: 'GRAPH_SECRET',
  GRAPH_SECRET: 'resolved',
};

/** For each integration, an environment in which it is wholly configured, written out independently of the code. */
const WHOLE: Record<IntegrationName, Env> = {
  connector: { SVC_CONNECTOR_MODE: 'graph', ...SUITE },
  aiProvider: {
    SVC_AI_ENDPOINT: 'https://ai.example',
    SVC_AI_DEPLOYMENT: 'embeddings',
    SVC_AI_KEY_REF: 'AI_KEY',
    AI_KEY: 'resolved',
  },
  idpSignIn: {
    SVC_AUTH_MODE: 'idp',
    SVC_IDP_TENANT_ID: 'directory',
    SVC_IDP_CLIENT_ID: 'web',
    SVC_IDP_CLIENT_SECRET_REF: 'IDP_SECRET',
    SVC_IDP_REDIRECT_URI: 'https://gov.example/api/auth/idp/callback',
    IDP_SECRET: 'resolved',
  },
  labelRead: { SVC_LABEL_READ_ENABLED: 'true', SVC_CONNECTOR_MODE: 'graph', ...SUITE },
  labelWrite: {
    SVC_LABEL_WRITE_ENABLED: 'true',
    SVC_LABEL_READ_ENABLED: 'true',
    SVC_CONNECTOR_MODE: 'graph',
    ...SUITE,
    SVC_GRAPH_SITES: 'all',
    SVC_LABEL_WRITE_CLIENT_ID: 'writer',
    SVC_LABEL_WRITE_CLIENT_SECRET_REF: 'LABEL_SECRET',
    LABEL_SECRET: 'resolved',
  },
  changeNotifications: {
    SVC_CHANGE_NOTIFICATIONS_ENABLED: 'true',
    SVC_CONNECTOR_MODE: 'graph',
    SVC_WEBHOOK_PUBLIC_URL: 'https://hooks.example',
    ...SUITE,
  },
  chatConnector: { SVC_CHAT_ENABLED: 'true', SVC_CHAT_TEAMS: 't1', ...SUITE },
  mailConnector: { SVC_MAIL_ENABLED: 'true', SVC_MAIL_MAILBOXES: 'a@x.example', ...SUITE },
  driveConnector: { SVC_DRIVE_ENABLED: 'true', SVC_DRIVE_IDS: 'd1', ...SUITE },
  blobConnector: {
    SVC_BLOB_ENABLED: 'true',
    SVC_BLOB_ACCOUNT_URL: 'https://blob.example',
    SVC_BLOB_CREDENTIAL_REF: 'BLOB_SECRET',
    SVC_BLOB_CONTAINERS: 'c1',
    BLOB_SECRET: 'resolved',
  },
  smbConnector: { SVC_SMB_ENABLED: 'true', SVC_SMB_ROOT: '/mnt/shares', SVC_SMB_SHARES: 'a,b' },
  sqlConnector: {
    SVC_SQL_ENABLED: 'true',
    SVC_SQL_CONNECTION_REF: 'SQL_SECRET',
    SVC_SQL_SCHEMAS: 'public',
    SQL_SECRET: 'resolved',
  },
  s3Connector: {
    SVC_S3_ENABLED: 'true',
    SVC_S3_CREDENTIAL_REF: 'S3_SECRET',
    SVC_S3_BUCKETS: 'b1',
    S3_SECRET: 'resolved',
  },
  cloudDriveConnector: {
    SVC_CLOUD_DRIVE_ENABLED: 'true',
    SVC_CLOUD_DRIVE_CREDENTIALS_REF: 'CLOUD_SECRET',
    SVC_CLOUD_DRIVE_ADMIN: 'admin@nordwind.example',
    SVC_CLOUD_DRIVE_IDS: 'd1',
    CLOUD_SECRET: 'resolved',
  },
  fileBoxConnector: {
    SVC_FILE_BOX_ENABLED: 'true',
    SVC_FILE_BOX_CLIENT_ID: 'box',
    SVC_FILE_BOX_CLIENT_SECRET_REF: 'BOX_SECRET',
    SVC_FILE_BOX_ENTERPRISE_ID: '77',
    SVC_FILE_BOX_FOLDERS: '1',
    BOX_SECRET: 'resolved',
  },
};

const SOURCES = [
  ['driveConnector', 'drive', 'SVC_DRIVE_IDS'],
  ['blobConnector', 'blob', 'SVC_BLOB_CONTAINERS'],
  ['s3Connector', 's3', 'SVC_S3_BUCKETS'],
  ['smbConnector', 'smb', 'SVC_SMB_SHARES'],
  ['sqlConnector', 'sql', 'SVC_SQL_SCHEMAS'],
  ['cloudDriveConnector', 'cloud_drive', 'SVC_CLOUD_DRIVE_IDS'],
  ['fileBoxConnector', 'file_box', 'SVC_FILE_BOX_FOLDERS'],
] as const satisfies [IntegrationName, SourceFamily, string][];

const FLAGGED = INTEGRATIONS.filter((name) => !['connector', 'aiProvider', 'idpSignIn'].includes(name));
const isFlag = (setting: string) => setting.endsWith('_ENABLED');
const secretNamesOf = (name: IntegrationName) =>
  Object.keys(WHOLE[name]).filter((variable) => WHOLE[name][variable] === 'resolved');
const FACTS: IntegrationFacts = {
  lingeringScopes: new Set(),
  built: new Set(INTEGRATIONS),
  smbMounted: true,
};

const modes = (env: Env, facts: Partial<IntegrationFacts> = {}) =>
  integrationModes(loadConfig({ ...BASE, ...env }), { ...FACTS, ...facts });
const modeOf = (name: IntegrationName, env: Env, facts: Partial<IntegrationFacts> = {}) =>
  modes(env, facts)[name];
const without = (env: Env, variable: string): Env =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name !== variable));
const missing = (name: IntegrationName, env: Env) => missingFor(loadConfig({ ...BASE, ...env }), name);

describe('integration modes', () => {
  it('are reported under the names of the specification, and one of S3', () => {
    expect(modes({})).toEqual({
      connector: 'mock',
      aiProvider: 'mock',
      idpSignIn: 'disabled',
      labelRead: 'blocked',
      labelWrite: 'blocked',
      changeNotifications: 'mock',
      chatConnector: 'disabled',
      mailConnector: 'disabled',
      driveConnector: 'disabled',
      blobConnector: 'disabled',
      s3Connector: 'disabled',
      smbConnector: 'disabled',
      sqlConnector: 'disabled',
      cloudDriveConnector: 'disabled',
      fileBoxConnector: 'disabled',
    });
  });

  it.each(INTEGRATIONS)('rule 1: %s is live when enabled and wholly configured', (name) => {
    expect(modeOf(name, WHOLE[name])).toBe('live');
  });

  it.each(INTEGRATIONS)('rule 1: %s is not live when any one of its settings is missing', (name) => {
    for (const variable of Object.keys(WHOLE[name])) {
      expect(modeOf(name, without(WHOLE[name], variable)), variable).not.toBe('live');
    }
  });

  it.each(INTEGRATIONS.filter((name) => name !== 'aiProvider' && name !== 'smbConnector'))(
    'rule 2: %s is blocked when enabled but its secret does not resolve',
    (name) => {
      for (const variable of secretNamesOf(name)) {
        expect(modeOf(name, without(WHOLE[name], variable)), variable).toBe('blocked');
        expect(modeOf(name, { ...WHOLE[name], [variable]: ' ' }), variable).toBe('blocked');
      }
      // Labels are read by one identity and written by another.
      expect(secretNamesOf(name)).toHaveLength(name === 'labelWrite' ? 2 : 1);
    },
  );

  it.each(FLAGGED.filter((name) => name !== 'labelRead' && name !== 'labelWrite'))(
    'rule 3: %s is disabled when its flag is off, whatever else is configured',
    (name) => {
      const flag = Object.keys(WHOLE[name]).find(isFlag) ?? '';
      expect(modeOf(name, without(WHOLE[name], flag))).toBe('disabled');
      expect(modeOf(name, { ...WHOLE[name], [flag]: 'false' })).toBe('disabled');
    },
  );

  it.each(['labelRead', 'labelWrite'] as const)(
    'rule 4: %s is blocked, never disabled, while not live',
    (name) => {
      for (const variable of Object.keys(WHOLE[name])) {
        expect(modeOf(name, without(WHOLE[name], variable)), variable).toBe('blocked');
      }
      expect(modeOf(name, {})).toBe('blocked');
    },
  );

  it.each([
    { SVC_GRAPH_MANAGED_IDENTITY: 'true' },
    { SVC_GRAPH_CERTIFICATE_REF: 'GRAPH_CERTIFICATE', GRAPH_CERTIFICATE: 'resolved' },
  ])('another credential counts as the client secret: %j', (other) => {
    const env: Env = { ...without(WHOLE.connector, 'SVC_GRAPH_CLIENT_SECRET_REF'), ...other };
    expect(modeOf('connector', env)).toBe('live');
    for (const variable of ['SVC_GRAPH_TENANT_ID', 'SVC_GRAPH_CLIENT_ID'])
      expect(missing('connector', without(env, variable))).toEqual([variable]);
  });

  it('a certificate that does not resolve is no credential', () => {
    const env = {
      ...without(WHOLE.connector, 'SVC_GRAPH_CLIENT_SECRET_REF'),
      SVC_GRAPH_CERTIFICATE_REF: 'NONE',
    };
    expect(missing('connector', env)).toEqual(['SVC_GRAPH_CLIENT_SECRET_REF']);
  });

  it('labelWrite is blocked in a cloud without metered calls', () => {
    for (const cloud of ['usgov', 'usgov_dod', 'china'])
      expect(modeOf('labelWrite', { ...WHOLE.labelWrite, SVC_GRAPH_CLOUD: cloud })).toBe('blocked');
  });

  it('rule 5: idpSignIn is blocked in idp mode until registered, else disabled', () => {
    for (const variable of Object.keys(without(WHOLE.idpSignIn, 'SVC_AUTH_MODE'))) {
      expect(modeOf('idpSignIn', without(WHOLE.idpSignIn, variable)), variable).toBe('blocked');
    }
    expect(modeOf('idpSignIn', { ...WHOLE.idpSignIn, SVC_AUTH_MODE: 'dev' })).toBe('disabled');
  });

  it('rule 6: changeNotifications needs flag, credentials and public address', () => {
    const whole = WHOLE.changeNotifications;
    expect(modeOf('changeNotifications', without(whole, 'SVC_WEBHOOK_PUBLIC_URL'))).toBe('blocked');
    expect(modeOf('changeNotifications', without(whole, 'SVC_GRAPH_CLIENT_ID'))).toBe('blocked');
    expect(modeOf('changeNotifications', without(whole, 'SVC_CHANGE_NOTIFICATIONS_ENABLED'))).toBe(
      'disabled',
    );
    expect(modeOf('changeNotifications', { ...whole, SVC_CONNECTOR_MODE: 'mock' })).toBe('mock');
  });

  it.each(SOURCES)(
    'rule 7: %s is blocked when enabled without an explicit selection',
    (name, _, selection) => {
      expect(modeOf(name, without(WHOLE[name], selection))).toBe('blocked');
      expect(modeOf(name, { ...WHOLE[name], [selection]: ' , ' })).toBe('blocked');
    },
  );

  it.each(SOURCES.map(([name, family]) => ({ name, family })))(
    'rule 7: $name is blocked, not disabled, while de-selected scopes persist',
    ({ name, family }) => {
      expect(modeOf(name, {}, { lingeringScopes: new Set([family]) })).toBe('blocked');
      const others = new Set(SOURCE_FAMILIES.filter((other) => other !== family));
      expect(modeOf(name, {}, { lingeringScopes: others })).toBe('disabled');
    },
  );

  it('rule 7: smbConnector is blocked while its root is not known to be mounted', () => {
    expect(modeOf('smbConnector', WHOLE.smbConnector, { smbMounted: false })).toBe('blocked');
    const { smbMounted, ...unknown } = FACTS;
    expect(smbMounted).toBe(true);
    expect(integrationModes(loadConfig({ ...BASE, ...WHOLE.smbConnector }), unknown).smbConnector).toBe(
      'blocked',
    );
  });

  it('rule 8: aiProvider is mock until endpoint, deployment and key resolve', () => {
    for (const variable of Object.keys(WHOLE.aiProvider)) {
      expect(modeOf('aiProvider', without(WHOLE.aiProvider, variable)), variable).toBe('mock');
    }
    expect(modeOf('aiProvider', WHOLE.aiProvider, { built: new Set() })).toBe('mock');
  });

  it('rule 9: connector is mock in mock mode, else blocked until registered', () => {
    expect(modeOf('connector', { ...WHOLE.connector, SVC_CONNECTOR_MODE: 'mock' })).toBe('mock');
    for (const variable of Object.keys(SUITE)) {
      expect(modeOf('connector', without(WHOLE.connector, variable)), variable).toBe('blocked');
    }
  });

  it.each(INTEGRATIONS.filter((name) => name !== 'aiProvider'))(
    '%s with a whole configuration is blocked in a release without it',
    (name) => {
      const built = new Set(INTEGRATIONS.filter((other) => other !== name));
      expect(modeOf(name, WHOLE[name], { built })).toBe('blocked');
    },
  );

  it.each(['chatConnector', 'mailConnector'] as const)(
    '%s is the made-up company only with its flag and nothing of its own',
    (name) => {
      const whole = WHOLE[name];
      const flag = Object.keys(whole).find(isFlag) ?? '';
      const fixture = { hasFixture: true };
      expect(modeOf(name, {}, fixture)).toBe('disabled');
      expect(modeOf(name, { [flag]: 'true' }, fixture)).toBe('mock');
      expect(modeOf(name, { [flag]: 'true' })).toBe('blocked');
      expect(modeOf(name, whole, fixture)).toBe('live');
      for (const variable of Object.keys(without(whole, flag)).filter((each) => each.startsWith('SVC_'))) {
        const env = { [flag]: 'true', [variable]: whole[variable] ?? '' };
        expect(modeOf(name, env, fixture), variable).toBe('blocked');
      }
      const identity = { [flag]: 'true', SVC_GRAPH_MANAGED_IDENTITY: 'true' };
      expect(modeOf(name, identity, fixture)).toBe('blocked');
    },
  );

  it('are never live without flag, settings and secrets, nor better than what is built', () => {
    const pool: Env = Object.assign({}, ...Object.values(WHOLE));
    const variables = Object.keys(pool);
    fc.assert(
      fc.property(
        fc.subarray(variables),
        fc.subarray([...INTEGRATIONS]),
        fc.subarray([...SOURCE_FAMILIES]),
        fc.boolean(),
        (chosen, built, lingering, smbMounted) => {
          const env = Object.fromEntries(chosen.map((name) => [name, pool[name] ?? '']));
          const facts = { built: new Set(built), lingeringScopes: new Set(lingering), smbMounted };
          const reported = modes(env, facts);
          for (const name of INTEGRATIONS) {
            const whole =
              built.includes(name) &&
              Object.keys(WHOLE[name]).every((variable) => chosen.includes(variable)) &&
              (name !== 'smbConnector' || smbMounted);
            expect(reported[name] === 'live', name).toBe(whole);
          }
        },
      ),
    );
  });
});

describe('what is missing', () => {
  it.each(INTEGRATIONS)('is nothing where %s is wholly configured', (name) => {
    expect(missing(name, WHOLE[name])).toEqual([]);
  });

  it.each(INTEGRATIONS)('is named by setting for %s, never by value', (name) => {
    const settings = Object.keys(WHOLE[name]).filter((variable) => variable in SettingsSchema.shape);
    expect(missing(name, {}).toSorted()).toEqual(settings.toSorted());
    for (const setting of settings) expect(missing(name, without(WHOLE[name], setting))).toEqual([setting]);
  });

  it('names the reference whose secret does not resolve', () => {
    expect(missing('sqlConnector', without(WHOLE.sqlConnector, 'SQL_SECRET'))).toEqual([
      'SVC_SQL_CONNECTION_REF',
    ]);
    expect(missing('aiProvider', without(WHOLE.aiProvider, 'AI_KEY'))).toEqual(['SVC_AI_KEY_REF']);
  });

  it('takes the Azure identity for a key, and asks for none without TLS', () => {
    const keyless = without(without(WHOLE.aiProvider, 'SVC_AI_KEY_REF'), 'AI_KEY');
    expect(missing('aiProvider', { ...keyless, SVC_AI_AZURE_IDENTITY: 'true' })).toEqual([]);
    expect(missing('aiProvider', { ...keyless, SVC_AI_PRIVATE_NETWORK: 'true' })).toEqual([]);
    const local = { ...keyless, SVC_AI_ENDPOINT: 'http://ollama:11434/v1' };
    expect(missing('aiProvider', local)).toEqual([]);
    expect(missing('aiProvider', { ...local, SVC_AI_KEY_REF: 'AI_KEY' })).toEqual(['SVC_AI_KEY_REF']);
  });

  it('names the flag that is off', () => {
    expect(missing('chatConnector', { ...WHOLE.chatConnector, SVC_CHAT_ENABLED: 'false' })).toEqual([
      'SVC_CHAT_ENABLED',
    ]);
  });
});

describe('named instances of a source', () => {
  const HR = { accountUrl: 'https://hr.example', credentialRef: 'HR_SECRET', containers: ['files'] };
  const blob = (instances: unknown, env: Env = {}) => ({
    SVC_BLOB_ENABLED: 'true',
    SVC_BLOB_INSTANCES: JSON.stringify(instances),
    HR_SECRET: 'resolved',
    ...env,
  });

  it('need no settings without a name', () => {
    expect(missing('blobConnector', blob({ hr: HR }))).toEqual([]);
    expect(modeOf('blobConnector', blob({ hr: HR }))).toBe('live');
  });

  it('miss what they lack by their own names, and block the family', () => {
    const env = blob({ hr: { accountUrl: HR.accountUrl, credentialRef: 'NOWHERE' }, legal: HR });
    expect(missing('blobConnector', env)).toEqual([
      'SVC_BLOB_INSTANCES.hr.credentialRef',
      'SVC_BLOB_INSTANCES.hr.containers',
    ]);
    expect(modeOf('blobConnector', env)).toBe('blocked');
  });

  it('are beside the one without a name where that one has a setting', () => {
    expect(missing('blobConnector', blob({ hr: HR }, { SVC_BLOB_CONTAINERS: 'c1' }))).toEqual([
      'SVC_BLOB_ACCOUNT_URL',
      'SVC_BLOB_CREDENTIAL_REF',
    ]);
  });

  it('of S3 have regions and keys of their own; the usual region is no setting', () => {
    const archive = { region: 'eu-central-1', credentialRef: 'HR_SECRET', buckets: ['cases'] };
    const s3 = (instances: unknown, env: Env = {}) => ({
      SVC_S3_ENABLED: 'true',
      SVC_S3_INSTANCES: JSON.stringify(instances),
      HR_SECRET: 'resolved',
      ...env,
    });
    expect(modeOf('s3Connector', s3({ archive }))).toBe('live');
    expect(missing('s3Connector', s3({ archive: { ...archive, credentialRef: 'NOWHERE' } }))).toEqual([
      'SVC_S3_INSTANCES.archive.credentialRef',
    ]);
    expect(missing('s3Connector', s3({ archive }, { SVC_S3_BUCKETS: 'b1' }))).toEqual([
      'SVC_S3_CREDENTIAL_REF',
    ]);
  });
});

describe('a storage account', () => {
  const account = (env: Env) => missing('blobConnector', { SVC_BLOB_ENABLED: 'true', ...env });
  const SHARES = { SVC_BLOB_SHARES: 's1', SVC_BLOB_FILES_URL: 'https://hr.file.example' };
  const CONTAINERS = { SVC_BLOB_CONTAINERS: 'c1', SVC_BLOB_ACCOUNT_URL: 'https://hr.blob.example' };

  it('needs the address of what is selected: containers, shares or both', () => {
    const identity = { SVC_BLOB_AZURE_IDENTITY: 'true' };
    expect(account({ ...identity, ...SHARES })).toEqual([]);
    expect(account({ ...identity, ...CONTAINERS })).toEqual([]);
    expect(account({ ...identity, ...CONTAINERS, SVC_BLOB_SHARES: 's1' })).toEqual(['SVC_BLOB_FILES_URL']);
    expect(account({ ...identity, SVC_BLOB_SHARES: 's1', SVC_BLOB_CONTAINERS: 'c1' })).toEqual([
      'SVC_BLOB_ACCOUNT_URL',
      'SVC_BLOB_FILES_URL',
    ]);
    expect(account(identity)).toEqual(['SVC_BLOB_ACCOUNT_URL', 'SVC_BLOB_CONTAINERS']);
  });

  it('needs an identity of the host, an app with its secret, or a secret', () => {
    const app = { SVC_BLOB_TENANT_ID: 't', SVC_BLOB_CLIENT_ID: 'c' };
    const secret = { SVC_BLOB_CREDENTIAL_REF: 'BLOB_SECRET', BLOB_SECRET: 'resolved' };
    expect(account(SHARES)).toEqual(['SVC_BLOB_CREDENTIAL_REF']);
    expect(account({ ...SHARES, ...secret })).toEqual([]);
    expect(account({ ...SHARES, ...app })).toEqual(['SVC_BLOB_CREDENTIAL_REF']);
    expect(account({ ...SHARES, ...app, ...secret })).toEqual([]);
    expect(account({ ...SHARES, SVC_BLOB_TENANT_ID: 't', ...secret })).toEqual(['SVC_BLOB_CLIENT_ID']);
    expect(() => account({ ...SHARES, ...secret, SVC_BLOB_AZURE_IDENTITY: 'true' })).toThrow(
      'SVC_BLOB_AZURE_IDENTITY: is set beside SVC_BLOB_CREDENTIAL_REF',
    );
  });
});
