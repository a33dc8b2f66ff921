import type { Config, SecretRefName, SettingName } from '../config/config.ts';
import type { SourceFamily } from '../connectors/connector.ts';
import {
  blobInstances,
  type MissingSetting,
  type SourceInstance,
  s3Instances,
  sqlInstances,
} from './source-instances.ts';

export const INTEGRATIONS = [
  'connector',
  'aiProvider',
  'idpSignIn',
  'labelRead',
  'labelWrite',
  'changeNotifications',
  'chatConnector',
  'mailConnector',
  'driveConnector',
  'blobConnector',
  'smbConnector',
  'sqlConnector',
  'cloudDriveConnector',
  'fileBoxConnector',
  // Beyond the specification.
  's3Connector',
] as const;
export type IntegrationName = (typeof INTEGRATIONS)[number];

export type IntegrationMode = 'mock' | 'live' | 'blocked' | 'disabled';

/** Facts that the configuration does not contain. */
export type IntegrationFacts = {
  /** Families with stored scopes that are not reconciled and that the configuration does not select. */
  lingeringScopes: ReadonlySet<SourceFamily>;
  /** The integrations that this release implements. */
  built: ReadonlySet<IntegrationName>;
  /** Whether the folder of on-premises shares exists. Undefined counts as false. */
  smbMounted?: boolean;
  /** Whether the made-up company is installed. Undefined counts as false. */
  hasFixture?: boolean;
};

const SUITE = ['SVC_GRAPH_TENANT_ID', 'SVC_GRAPH_CLIENT_ID', 'SVC_GRAPH_CLIENT_SECRET_REF'] as const;

/**
 * The settings that each integration needs to be live: its flag, its credentials and its explicit selection. Labels
 * and change notifications belong to the main connector, so they are live only if it is.
 */
const NEEDS = {
  connector: ['SVC_CONNECTOR_MODE', ...SUITE],
  aiProvider: ['SVC_AI_ENDPOINT', 'SVC_AI_DEPLOYMENT', 'SVC_AI_KEY_REF'],
  idpSignIn: [
    'SVC_AUTH_MODE',
    'SVC_IDP_TENANT_ID',
    'SVC_IDP_CLIENT_ID',
    'SVC_IDP_CLIENT_SECRET_REF',
    'SVC_IDP_REDIRECT_URI',
  ],
  labelRead: ['SVC_LABEL_READ_ENABLED', 'SVC_CONNECTOR_MODE', ...SUITE],
  // A written label is verified by reading it, so reading must be live too. The first that is missing is reported.
  labelWrite: [
    'SVC_LABEL_WRITE_ENABLED',
    'SVC_CONNECTOR_MODE',
    ...SUITE,
    'SVC_GRAPH_SITES',
    'SVC_GRAPH_CLOUD',
    'SVC_LABEL_READ_ENABLED',
    'SVC_LABEL_WRITE_CLIENT_ID',
    'SVC_LABEL_WRITE_CLIENT_SECRET_REF',
  ],
  changeNotifications: [
    'SVC_CHANGE_NOTIFICATIONS_ENABLED',
    'SVC_CONNECTOR_MODE',
    ...SUITE,
    'SVC_WEBHOOK_PUBLIC_URL',
  ],
  chatConnector: ['SVC_CHAT_ENABLED', ...SUITE, 'SVC_CHAT_TEAMS'],
  mailConnector: ['SVC_MAIL_ENABLED', ...SUITE, 'SVC_MAIL_MAILBOXES'],
  driveConnector: ['SVC_DRIVE_ENABLED', ...SUITE, 'SVC_DRIVE_IDS'],
  // The rest is needed of each instance.
  blobConnector: ['SVC_BLOB_ENABLED'],
  s3Connector: ['SVC_S3_ENABLED'],
  smbConnector: ['SVC_SMB_ENABLED', 'SVC_SMB_ROOT', 'SVC_SMB_SHARES'],
  sqlConnector: ['SVC_SQL_ENABLED'],
  cloudDriveConnector: [
    'SVC_CLOUD_DRIVE_ENABLED',
    'SVC_CLOUD_DRIVE_CREDENTIALS_REF',
    'SVC_CLOUD_DRIVE_ADMIN',
    'SVC_CLOUD_DRIVE_IDS',
  ],
  fileBoxConnector: [
    'SVC_FILE_BOX_ENABLED',
    'SVC_FILE_BOX_CLIENT_ID',
    'SVC_FILE_BOX_CLIENT_SECRET_REF',
    'SVC_FILE_BOX_ENTERPRISE_ID',
    'SVC_FILE_BOX_FOLDERS',
  ],
} as const satisfies Record<IntegrationName, readonly SettingName[]>;

const isSecretRef = (name: SettingName): name is SecretRefName => name.endsWith('_REF');

/** A credential that counts as the client secret. */
const hasOtherGraphCredential = (config: Config): boolean =>
  config.SVC_GRAPH_MANAGED_IDENTITY || config.secret('SVC_GRAPH_CERTIFICATE_REF') !== null;

/** Services without TLS are on the own network, such as Ollama and vLLM. They ask for no key unless one is set. */
const needsNoAiKey = ({
  SVC_AI_AZURE_IDENTITY,
  SVC_AI_ENDPOINT,
  SVC_AI_KEY_REF,
  SVC_AI_PRIVATE_NETWORK,
}: Config): boolean =>
  SVC_AI_AZURE_IDENTITY ||
  SVC_AI_PRIVATE_NETWORK ||
  (SVC_AI_KEY_REF === undefined && /^http:/i.test(SVC_AI_ENDPOINT ?? ''));

function isMissing(config: Config, name: SettingName): boolean {
  if (name === 'SVC_GRAPH_CLIENT_SECRET_REF' && hasOtherGraphCredential(config)) return false;
  if (name === 'SVC_AI_KEY_REF' && needsNoAiKey(config)) return false;
  if (isSecretRef(name)) return config.secret(name) === null;
  if (name === 'SVC_CONNECTOR_MODE') return config[name] !== 'graph';
  if (name === 'SVC_AUTH_MODE') return config[name] !== 'idp';
  // Microsoft offers metered calls, such as the one that writes labels, in the global cloud alone.
  if (name === 'SVC_GRAPH_CLOUD') return config[name] !== 'global';
  // Another provider is named by its issuer alone.
  if (name === 'SVC_IDP_TENANT_ID' && config.SVC_IDP_ISSUER !== undefined) return false;
  return isUnset(config, name);
}

function isUnset(config: Config, name: SettingName): boolean {
  const value = config[name];
  return value === undefined || value === false || (Array.isArray(value) && value.length === 0);
}

/**
 * The settings that keep an integration from being live: unset, switched off, of another value than it needs, or a
 * reference that does not resolve.
 * Empty if the configuration is complete. The integration can still be blocked by a fact.
 */
export function missingFor(
  config: Config,
  integration: Exclude<IntegrationName, 'blobConnector' | 's3Connector' | 'sqlConnector'>,
): SettingName[];
export function missingFor(config: Config, integration: IntegrationName): MissingSetting[];
export function missingFor(config: Config, integration: IntegrationName): MissingSetting[] {
  return [
    ...missingOfAll(config, integration),
    ...instancesOf(config, integration).flatMap(({ missing }) => missing),
  ];
}

/** What all instances of an integration miss, or the integration itself where it has none. */
export const missingOfAll = (config: Config, integration: IntegrationName): SettingName[] =>
  NEEDS[integration].filter((name) => isMissing(config, name));

/** The instances of a source that can have several. Empty for all others. */
export function instancesOf(config: Config, integration: IntegrationName): SourceInstance<unknown>[] {
  if (integration === 'blobConnector') return blobInstances(config);
  if (integration === 's3Connector') return s3Instances(config);
  return integration === 'sqlConnector' ? sqlInstances(config) : [];
}

type WhenNotLive = (config: Config, facts: IntegrationFacts) => IntegrationMode;

const whenEnabled =
  (flag: (config: Config) => boolean): WhenNotLive =>
  (config) =>
    flag(config) ? 'blocked' : 'disabled';

/** A source that is switched off but still has scopes must not look empty. */
const whenEnabledOrLingering =
  (flag: (config: Config) => boolean, family: SourceFamily): WhenNotLive =>
  (config, { lingeringScopes }) =>
    flag(config) || lingeringScopes.has(family) ? 'blocked' : 'disabled';

/** The other credentials of the suite. */
const OTHER_CREDENTIALS = ['SVC_GRAPH_MANAGED_IDENTITY', 'SVC_GRAPH_CERTIFICATE_REF'] as const;

/**
 * Whether the messages of a family are those of the made-up company: the source is switched on, and the configuration
 * names neither what to read nor a credential of the suite.
 */
export function readsFixtureMessages(
  config: Config,
  integration: 'chatConnector' | 'mailConnector',
  hasFixture: boolean,
): boolean {
  const [flag, ...own] = NEEDS[integration];
  return hasFixture && config[flag] && [...own, ...OTHER_CREDENTIALS].every((name) => isUnset(config, name));
}

const messagesWhenNotLive =
  (integration: 'chatConnector' | 'mailConnector', family: SourceFamily): WhenNotLive =>
  (config, facts) => {
    if (readsFixtureMessages(config, integration, facts.hasFixture === true)) return 'mock';
    return whenEnabledOrLingering((it) => it[NEEDS[integration][0]], family)(config, facts);
  };

/** The mode of each integration that is not live. */
const OTHERWISE: Readonly<Record<IntegrationName, WhenNotLive>> = {
  connector: (config) => (config.SVC_CONNECTOR_MODE === 'mock' ? 'mock' : 'blocked'),
  aiProvider: () => 'mock',
  idpSignIn: whenEnabled((config) => config.SVC_AUTH_MODE === 'idp'),
  labelRead: () => 'blocked',
  labelWrite: () => 'blocked',
  changeNotifications: (config, facts) =>
    config.SVC_CONNECTOR_MODE === 'mock'
      ? 'mock'
      : whenEnabled(() => config.SVC_CHANGE_NOTIFICATIONS_ENABLED)(config, facts),
  chatConnector: messagesWhenNotLive('chatConnector', 'chat'),
  mailConnector: messagesWhenNotLive('mailConnector', 'mail'),
  driveConnector: whenEnabledOrLingering((config) => config.SVC_DRIVE_ENABLED, 'drive'),
  blobConnector: whenEnabledOrLingering((config) => config.SVC_BLOB_ENABLED, 'blob'),
  s3Connector: whenEnabledOrLingering((config) => config.SVC_S3_ENABLED, 's3'),
  smbConnector: whenEnabledOrLingering((config) => config.SVC_SMB_ENABLED, 'smb'),
  sqlConnector: whenEnabledOrLingering((config) => config.SVC_SQL_ENABLED, 'sql'),
  cloudDriveConnector: whenEnabledOrLingering((config) => config.SVC_CLOUD_DRIVE_ENABLED, 'cloud_drive'),
  fileBoxConnector: whenEnabledOrLingering((config) => config.SVC_FILE_BOX_ENABLED, 'file_box'),
};

/** The mode of every integration. `live` means that it is built, switched on and completely configured. */
export function integrationModes(
  config: Config,
  facts: IntegrationFacts,
): Record<IntegrationName, IntegrationMode> {
  const isLive = (name: IntegrationName) =>
    facts.built.has(name) &&
    missingFor(config, name).length === 0 &&
    (name !== 'smbConnector' || facts.smbMounted === true);
  const modes = INTEGRATIONS.map(
    (name) => [name, isLive(name) ? 'live' : OTHERWISE[name](config, facts)] as const,
  );
  return Object.fromEntries(modes) as Record<IntegrationName, IntegrationMode>;
}
