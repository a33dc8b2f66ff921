import { z } from 'zod';
import { AI_SETTINGS } from './ai-settings.ts';
import { outgoingProblems } from './outgoing-addresses.ts';
import { messagesOf, readSettings } from './read-settings.ts';
import { RETENTION_SETTINGS } from './retention-settings.ts';
import { SCAN_SETTINGS } from './scan-settings.ts';
import { type Environment, referenceProblems, secretIn } from './secret-files.ts';
import {
  audience,
  file,
  flag,
  keyIds,
  list,
  roles,
  schedule,
  secretRef,
  sessionSecret,
  text,
  url,
  whole,
} from './setting-kinds.ts';
import {
  aiProblems,
  directoryProblems,
  priceProblems,
  shareProblems,
  vendorProblems,
} from './setting-problems.ts';
import { referencesIn, SOURCE_SETTINGS } from './source-settings.ts';
import { isWeakSecret } from './weak-secrets.ts';

/** Signs nothing in production: the boot guard refuses it there. */
export const DEVELOPMENT_SESSION_SECRET = 'development-only-session-secret';

/**
 * Every setting of the service. `README.md` prints this table; nothing else in the product reads `process.env`.
 */
export const SettingsSchema = z.object({
  SVC_ENV: z.enum(['development', 'production']).default('production').describe('Environment'),
  SVC_AUTH_MODE: z.enum(['dev', 'idp']).default('idp').describe('How people sign in'),
  SVC_SESSION_SECRET: sessionSecret
    .default(DEVELOPMENT_SESSION_SECRET)
    .describe('Signs session cookies; production refuses to start without one of its own'),
  SVC_SESSION_SECRET_FILE: file('`SVC_SESSION_SECRET`'),
  SVC_SESSION_SECRET_PREVIOUS: sessionSecret
    .optional()
    .describe('Also accepted while the session secret is rotated; signs nothing'),
  SVC_SESSION_SECRET_PREVIOUS_FILE: file('`SVC_SESSION_SECRET_PREVIOUS`'),
  SVC_SESSION_IDLE_MINUTES: whole('A session ends after this many minutes without a request', 1, 1440, 60),
  SVC_SESSION_ABSOLUTE_HOURS: whole('A session ends after this many hours in any case', 1, 168, 12),
  SVC_DATABASE_URL: z.string().trim().min(1).max(2048).describe('Postgres 16 or later, the runtime login'),
  SVC_DATABASE_URL_FILE: file('`SVC_DATABASE_URL`'),
  SVC_MIGRATION_DATABASE_URL: text('Postgres, the login that owns the schema; default: SVC_DATABASE_URL'),
  SVC_MIGRATION_DATABASE_URL_FILE: file('`SVC_MIGRATION_DATABASE_URL`'),
  SVC_DATABASE_POOL_SIZE: whole('Database connections per process', 2, 100, 10),
  AzureWebJobsStorage: text('Storage account of queues and tables: a connection string'),
  AzureWebJobsStorage__accountName: text('Storage account of queues and tables, by managed identity instead'),
  SVC_DEMO_MODE: flag('Says in the readiness report that this deployment shows sample data'),
  SVC_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info').describe('Least level logged'),
  SVC_METRICS_PORT: z.coerce
    .number()
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe('Port of `GET /metrics` (OpenMetrics); further processes of a container take the next ones'),
  SVC_METRICS_INTERFACES: z
    .enum(['loopback', 'all'])
    .default('loopback')
    .describe('Where that port listens; it asks for no credentials'),
  SVC_TRACES_ENDPOINT: url(
    'Address of a collector that takes traces by OTLP over HTTP, such as `http://collector:4318/v1/traces`',
  ),
  SVC_TRACES_PERCENT: whole('Percent of requests and work units that are traced', 1, 100, 100),
  SVC_CONNECTOR_MODE: z
    .enum(['mock', 'graph'])
    .default('mock')
    .describe('Main connector: the fixture tenant, or the live productivity suite'),
  SVC_GRAPH_TENANT_ID: text('Main connector, chat, mail, drive: directory (tenant) id'),
  SVC_GRAPH_CLIENT_ID: text('Main connector, chat, mail, drive: application (client) id'),
  SVC_GRAPH_CLIENT_SECRET_REF: secretRef('Main connector, chat, mail, drive: client secret'),
  SVC_GRAPH_CERTIFICATE_REF: secretRef(
    'Main connector, chat, mail, drive: certificate and private key as PEM, instead of the client secret',
  ),
  SVC_GRAPH_MANAGED_IDENTITY: flag(
    'Main connector, chat, mail, drive: SVC_GRAPH_CLIENT_ID is a user-assigned managed identity, which needs no secret',
  ),
  SVC_GRAPH_CLOUD: z
    .enum(['global', 'usgov', 'usgov_dod', 'china'])
    .default('global')
    .describe('Cloud of the productivity suite; `usgov` is GCC High, GCC uses `global`'),
  SVC_GRAPH_SITES: list(
    'Main connector: the sites to scan, by id or as `host:/sites/name`; `all` for all but personal sites',
  ),
  SVC_IDP_ISSUER: url(
    "Sign-in: issuer of another OpenID provider; default: the productivity suite's own directory",
  ),
  SVC_IDP_TENANT_ID: text('Sign-in: directory (tenant) id; people of other directories are refused'),
  SVC_IDP_CLIENT_ID: text('Sign-in: application (client) id'),
  SVC_IDP_CLIENT_SECRET_REF: secretRef('Sign-in: client secret'),
  SVC_IDP_REDIRECT_URI: url('Sign-in: redirect URI registered for the callback'),
  SVC_IDP_ROLES: roles(
    'Sign-in: roles by app role or group, as `value=role`, such as `Governance.Admin=governance_admin`; default: roles ' +
      'are granted in the service',
  ),
  SVC_API_AUDIENCE: audience(
    'Access tokens: the audience that callers of the API present; unset, no token is accepted',
  ),
  SVC_MCP_HOSTS: list('Assistant adapter: further host names, beside that of SVC_IDP_REDIRECT_URI'),
  SVC_LABEL_READ_ENABLED: flag('Read sensitivity labels from the source'),
  SVC_LABEL_WRITE_ENABLED: flag('Write sensitivity labels to the source'),
  SVC_LABEL_WRITE_CLIENT_ID: text('Label writes: application (client) id of the remediation identity'),
  SVC_LABEL_WRITE_CLIENT_SECRET_REF: secretRef('Label writes: client secret of the remediation identity'),
  SVC_CHANGE_NOTIFICATIONS_ENABLED: flag('Subscribe to change notifications of the source'),
  SVC_WEBHOOK_PUBLIC_URL: url('Public https address that the source calls', /^https$/),
  ...SCAN_SETTINGS,
  ...SOURCE_SETTINGS,
  ...AI_SETTINGS,
  SVC_AUDIT_SIGNING_KEY_REF: secretRef('Audit checkpoints: Ed25519 private key, PKCS #8 as PEM or base64'),
  SVC_AUDIT_TRUSTED_KEY_IDS: keyIds(
    'Audit checkpoints: ids of further keys that this deployment signs with, while the key is rotated',
  ),
  SVC_AUDIT_CHECKPOINT_SCHEDULE: schedule(
    'When audit checkpoints are signed, in UTC; default: every 15 minutes',
  ),
  SVC_LICENSE_SERVICE_URL: url(
    'Address of the activation service, for one-time codes and renewals; unset, it is not called',
  ),
  SVC_LICENSE_SECRET_REF: secretRef(
    'Shared secret of entitlements in development, of at least 32 characters; production refuses to start with one',
  ),
  SVC_TELEMETRY_URL: url(
    'Address that fleet-health telemetry is sent to, if the terms of the license ask for it and nobody opted out',
  ),
  ...RETENTION_SETTINGS,
  SVC_SCANNER_ID: z
    .string()
    .min(1)
    .max(64)
    .regex(/^[A-Za-z0-9._-]+$/, 'may have letters, digits, dots, underscores and hyphens')
    .optional()
    .describe(
      'Id of this process in the fleet: unique, and the same after a restart; default: a new one each start',
    ),
  SVC_SCANNER_NAME: text('Name of this process in the fleet; default: its host'),
  SVC_WORKER_TICK_MS: whole(
    'Milliseconds after which an idle standalone worker looks again',
    10,
    60_000,
    500,
  ),
  SVC_WORKER_CONCURRENCY: whole('Work units run at once in a process', 1, 64, 4),
  SVC_WORKER_LEASE_BATCH: whole('Work units leased at once; units that run in groups up to 50', 1, 1_000, 20),
  SVC_EXTRACT_WORKERS: whole('Extraction threads in a process', 1, 16, 2),
  SVC_EXTRACT_MAX_INPUT_MB: whole('Largest file read, in MiB', 1, 1024, 50),
  SVC_EXTRACT_MAX_CHARACTERS: whole('Characters of text kept of one file', 1_000, 20_000_000, 2_000_000),
  SVC_EXTRACT_MAX_MEMBERS: whole('Members read of one file and all files inside it', 10, 100_000, 10_000),
  SVC_EXTRACT_MAX_INFLATED_MB: whole(
    'MiB that one file and all files inside it may inflate to',
    1,
    2_048,
    200,
  ),
  SVC_EXTRACT_MAX_DEPTH: whole(
    'Levels of files inside files that are read, archives in archives too',
    0,
    8,
    3,
  ),
  SVC_EXTRACT_SECONDS: whole(
    'Seconds of processor time per file; four times as long on the clock ends it too',
    1,
    600,
    30,
  ),
  SVC_EXTRACT_WORKER_MB: whole('Heap of one extraction thread, in MiB', 64, 4_096, 256),
  SVC_OCR: flag('Read the text in images, and on PDF pages that are images'),
  SVC_OCR_LANGUAGES: list(
    'Languages of that text: codes of installed `@tesseract.js-data` packages, the commonest first',
    'eng',
  ),
});

type Settings = z.infer<typeof SettingsSchema>;
export type SettingName = keyof Settings;
/** A setting that names the environment variable in which a secret is. */
export type SecretRefName = Extract<SettingName, `${string}_REF`>;

export type Config = Settings & {
  /**
   * The value of a secret that is configured by reference, from a variable or a file, or null when the reference does
   * not resolve. A file is read again each time, so that another secret takes effect without a restart.
   */
  secret(ref: SecretRefName): string | null;
  /** As `secret`, of a reference in a named instance of a source. */
  secretIn(variable: string): string | null;
};

/** A configuration that the process must not start with. The problems name settings, never their values. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/**
 * Parses the environment, reads the files that it names, and applies the boot guards. Throws `ConfigError` with all
 * problems at once.
 */
export function loadConfig(env: Environment = process.env): Config {
  // An empty secret is what somebody gets wrong.
  const { present, data, ...read } = readSettings(SettingsSchema, env, IN_FILES, ['SVC_SESSION_SECRET']);
  const settings = data ?? usableOf(present);
  const references = referencesIn(settings);
  const problems = [
    ...read.problems,
    ...bootProblems(settings, present),
    ...credentialProblems(settings),
    ...outgoingProblems(settings),
    ...directoryProblems(settings),
    ...shareProblems(settings),
    ...aiProblems(settings),
    ...priceProblems(settings),
    ...vendorProblems(settings, (variable) => secretIn(env, variable)),
    ...read.fileProblems,
    ...messagesOf(referenceProblems(references, env)),
  ];
  if (data === undefined || problems.length > 0) throw new ConfigError(problems);
  return {
    ...data,
    secret: (ref) => (data[ref] === undefined ? null : secretIn(env, data[ref])),
    secretIn: (variable) => secretIn(env, variable),
  };
}

/** The settings that are right beside others that are not. */
const usableOf = (present: Environment): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(SettingsSchema.shape).flatMap(([name, schema]) => {
      const { success, data } = schema.safeParse(present[name]);
      return success ? [[name, data]] : [];
    }),
  );

/** Variables that are named like settings and that nothing reads, such as `SVC_DATABSE_URL`. */
export function unknownSettings(env: Environment = process.env): string[] {
  const isSetting = (name: string) => Object.hasOwn(SettingsSchema.shape, name);
  const referred = new Set(
    [...referencesIn(usableOf(env)).values()].flatMap((variable) => [variable, `${variable}_FILE`]),
  );
  return Object.keys(env)
    .filter((name) => /^SVC_/i.test(name) && !isSetting(name) && !referred.has(name))
    .sort();
}

/** The arguments of Node that the Functions host starts its worker with; null where there is no such host. */
export const languageWorkerArguments = (env: Environment = process.env): string | null =>
  env.FUNCTIONS_WORKER_RUNTIME === undefined ? null : (env.languageWorkers__node__arguments ?? '');

const IN_FILES = [
  'SVC_SESSION_SECRET',
  'SVC_SESSION_SECRET_PREVIOUS',
  'SVC_DATABASE_URL',
  'SVC_MIGRATION_DATABASE_URL',
] as const;

/** The session secrets that hold: the present one, then the previous one during a rotation. */
export const sessionSecretsOf = ({
  SVC_SESSION_SECRET: present,
  SVC_SESSION_SECRET_PREVIOUS: previous,
}: Config): readonly string[] => (previous === undefined ? [present] : [present, previous]);

/**
 * A schedule alone, for the declaration of its timer, which comes before there is a runtime. Undefined where none is set,
 * or one that `loadConfig` refuses to start with.
 */
export const scheduleOf = (
  name: 'SVC_DELTA_SCHEDULE' | 'SVC_AUDIT_CHECKPOINT_SCHEDULE',
  env: Environment = process.env,
): string | undefined => SettingsSchema.shape[name].safeParse(env[name] || undefined).data;

/** Settings that exclude each other: with two credentials, nobody could say which one is used. */
const CREDENTIALS = [
  ['SVC_GRAPH_CLIENT_SECRET_REF', 'SVC_GRAPH_CERTIFICATE_REF', 'SVC_GRAPH_MANAGED_IDENTITY'],
  ['SVC_AI_KEY_REF', 'SVC_AI_AZURE_IDENTITY', 'SVC_AI_PRIVATE_NETWORK'],
  ['SVC_BLOB_CREDENTIAL_REF', 'SVC_BLOB_AZURE_IDENTITY'],
] as const;

const credentialProblems = (settings: Partial<Settings>): string[] =>
  CREDENTIALS.flatMap((names) => {
    const [first, ...others] = names.filter((name) => settings[name]);
    return others.map((name) => `${name}: is set beside ${first}; set one of them`);
  });

function bootProblems(settings: Partial<Settings>, present: Environment): string[] {
  const problems: string[] = [];
  const { SVC_SESSION_SECRET_PREVIOUS: previous } = settings;
  if (previous !== undefined && previous === settings.SVC_SESSION_SECRET) {
    problems.push(
      'SVC_SESSION_SECRET_PREVIOUS: is the same as SVC_SESSION_SECRET; set that to a new secret, or leave this one out',
    );
  }
  if (settings.SVC_ENV !== 'production') return problems;
  if (settings.SVC_AUTH_MODE === 'dev') {
    problems.push('SVC_AUTH_MODE: dev is refused when SVC_ENV is production; set it to idp');
  }
  if (present.SVC_SESSION_SECRET === undefined) {
    // A file that could not be read is reported by its own name.
    if (present.SVC_SESSION_SECRET_FILE === undefined) {
      problems.push('SVC_SESSION_SECRET: must be set when SVC_ENV is production');
    }
  } else if (settings.SVC_SESSION_SECRET === DEVELOPMENT_SESSION_SECRET) {
    problems.push('SVC_SESSION_SECRET: the development default is refused when SVC_ENV is production');
  } else if (settings.SVC_SESSION_SECRET !== undefined && isWeakSecret(settings.SVC_SESSION_SECRET)) {
    problems.push(
      'SVC_SESSION_SECRET: is easy to guess, so it is refused when SVC_ENV is production; make one with ' +
        '`openssl rand -base64 32`',
    );
  }
  if (previous === DEVELOPMENT_SESSION_SECRET) {
    problems.push(
      'SVC_SESSION_SECRET_PREVIOUS: the development default is refused when SVC_ENV is production',
    );
  }
  return problems;
}
