import type { Config, SettingName } from '../config/config.ts';
import { DEFAULT_INSTANCE } from '../config/setting-kinds.ts';
import {
  type BlobInstance,
  DEFAULT_S3_REGION,
  type S3Instance,
  type SqlInstance,
} from '../config/source-settings.ts';
import { type BlobOptions, blobScopeIds } from '../connectors/blob/blob-connector.ts';
import type { SourceFamily } from '../connectors/connector.ts';
import { type S3Options, s3ScopeIds } from '../connectors/s3/s3-connector.ts';
import { type SqlOptions, sqlScopeIds, sqlServerOf } from '../connectors/sql/sql-connector.ts';
import { blobCredential } from './blob-credential.ts';

type InstancesName = Extract<SettingName, `${string}_INSTANCES`>;
/** A setting, or a field of a named instance: `SVC_BLOB_INSTANCES.hr.credentialRef`. */
export type MissingSetting = SettingName | `${InstancesName}.${string}`;

/** One account, server or database of a source family, as it is configured. */
export type SourceInstance<Options> = {
  /** `default` for the one that settings without a name describe. */
  name: string;
  /** What is not set, or refers to nothing. */
  missing: readonly MissingSetting[];
  /** What is to be scanned, as the configuration names it. */
  selected: readonly string[];
  /** The ids of its scopes. Null if a secret has a part of them, and is not there or malformed. */
  scopeIds: readonly string[] | null;
  /** Null if something is missing. */
  options: Options | null;
};

/** The settings of the storage account without a name. */
const BLOB_SETTINGS = {
  accountUrl: 'SVC_BLOB_ACCOUNT_URL',
  filesUrl: 'SVC_BLOB_FILES_URL',
  credentialRef: 'SVC_BLOB_CREDENTIAL_REF',
  azureIdentity: 'SVC_BLOB_AZURE_IDENTITY',
  tenantId: 'SVC_BLOB_TENANT_ID',
  clientId: 'SVC_BLOB_CLIENT_ID',
  accountId: 'SVC_BLOB_ACCOUNT_ID',
  containers: 'SVC_BLOB_CONTAINERS',
  shares: 'SVC_BLOB_SHARES',
} as const satisfies Record<keyof BlobInstance, SettingName>;

/** The storage accounts. Without any setting there is one, which misses all. */
export function blobInstances(config: Config): SourceInstance<BlobOptions>[] {
  const unnamed: BlobInstance = {
    accountUrl: config.SVC_BLOB_ACCOUNT_URL,
    filesUrl: config.SVC_BLOB_FILES_URL,
    credentialRef: config.SVC_BLOB_CREDENTIAL_REF,
    azureIdentity: config.SVC_BLOB_AZURE_IDENTITY || undefined,
    tenantId: config.SVC_BLOB_TENANT_ID,
    clientId: config.SVC_BLOB_CLIENT_ID,
    accountId: config.SVC_BLOB_ACCOUNT_ID,
    containers: config.SVC_BLOB_CONTAINERS,
    shares: config.SVC_BLOB_SHARES,
  };
  return instancesOf('SVC_BLOB_INSTANCES', unnamed, BLOB_SETTINGS, config.SVC_BLOB_INSTANCES, (fields) => {
    const { accountUrl, filesUrl, containers, shares } = fields;
    const missing = missingOfBlob(config, fields);
    const credential = blobCredential(config, fields);
    return {
      missing,
      selected: [...containers, ...shares],
      scopeIds: blobScopeIds({
        containers,
        shares,
        ...(accountUrl !== undefined && { accountUrl }),
        ...(filesUrl !== undefined && { filesUrl }),
      }),
      options:
        missing.length > 0 || credential === null
          ? null
          : {
              containers,
              shares,
              ...(accountUrl !== undefined && { accountUrl }),
              ...(filesUrl !== undefined && { filesUrl }),
              ...credential,
            },
    };
  });
}

/** An account has containers, shares or both. */
function missingOfBlob(config: Config, fields: BlobInstance): (keyof BlobInstance)[] {
  const { accountUrl, filesUrl, credentialRef, azureIdentity, tenantId, clientId, containers, shares } =
    fields;
  const isSecretFound = credentialRef !== undefined && config.secretIn(credentialRef) !== null;
  return [
    ...(accountUrl === undefined && (containers.length > 0 || shares.length === 0)
      ? ['accountUrl' as const]
      : []),
    ...(filesUrl === undefined && shares.length > 0 ? ['filesUrl' as const] : []),
    ...(!azureIdentity && !isSecretFound ? ['credentialRef' as const] : []),
    ...(tenantId !== undefined && clientId === undefined ? ['clientId' as const] : []),
    ...(containers.length === 0 && shares.length === 0 ? ['containers' as const] : []),
  ];
}

/** The settings of the S3 store without a name. */
const S3_SETTINGS = {
  endpoint: 'SVC_S3_ENDPOINT',
  region: 'SVC_S3_REGION',
  pathStyle: 'SVC_S3_PATH_STYLE',
  accountId: 'SVC_S3_ACCOUNT_ID',
  credentialRef: 'SVC_S3_CREDENTIAL_REF',
  buckets: 'SVC_S3_BUCKETS',
} as const satisfies Record<keyof S3Instance, SettingName>;

/** The accounts of S3 stores. Without any setting there is one, which misses all. */
export function s3Instances(config: Config): SourceInstance<S3Options>[] {
  const unnamed: S3Instance = {
    endpoint: config.SVC_S3_ENDPOINT,
    region: config.SVC_S3_REGION === DEFAULT_S3_REGION ? undefined : config.SVC_S3_REGION,
    pathStyle: config.SVC_S3_PATH_STYLE || undefined,
    accountId: config.SVC_S3_ACCOUNT_ID,
    credentialRef: config.SVC_S3_CREDENTIAL_REF,
    buckets: config.SVC_S3_BUCKETS,
  };
  return instancesOf('SVC_S3_INSTANCES', unnamed, S3_SETTINGS, config.SVC_S3_INSTANCES, (fields) => {
    const {
      endpoint,
      region = DEFAULT_S3_REGION,
      pathStyle = false,
      accountId,
      credentialRef,
      buckets,
    } = fields;
    /** It is found again for each call. */
    const secret = () => (credentialRef === undefined ? null : config.secretIn(credentialRef));
    const missing = [
      ...(secret() === null ? ['credentialRef' as const] : []),
      ...(buckets.length === 0 ? ['buckets' as const] : []),
    ];
    const options: S3Options = {
      region,
      pathStyle,
      secret,
      buckets,
      ...(endpoint !== undefined && { endpoint }),
      ...(accountId !== undefined && { accountId }),
    };
    return {
      missing,
      selected: buckets,
      scopeIds: s3ScopeIds(options),
      options: missing.length > 0 ? null : options,
    };
  });
}

/** The settings of the database server without a name. */
const SQL_SETTINGS = {
  connectionRef: 'SVC_SQL_CONNECTION_REF',
  schemas: 'SVC_SQL_SCHEMAS',
} as const satisfies Record<keyof SqlInstance, SettingName>;

/** The database servers. Without any setting there is one, which misses all. */
export function sqlInstances(config: Config): SourceInstance<SqlOptions>[] {
  const unnamed: SqlInstance = {
    connectionRef: config.SVC_SQL_CONNECTION_REF,
    schemas: config.SVC_SQL_SCHEMAS,
  };
  return instancesOf('SVC_SQL_INSTANCES', unnamed, SQL_SETTINGS, config.SVC_SQL_INSTANCES, (fields) => {
    const { connectionRef, schemas } = fields;
    /** It is found again for each connection. */
    const connection = () => (connectionRef === undefined ? null : config.secretIn(connectionRef));
    const missing = [
      ...(connection() === null ? ['connectionRef' as const] : []),
      ...(schemas.length === 0 ? ['schemas' as const] : []),
    ];
    const options: SqlOptions = { connection, schemas };
    return {
      missing,
      selected: schemas,
      scopeIds: sqlScopeIds(options),
      options: missing.length > 0 ? null : options,
    };
  });
}

/** What is made of the fields of one instance. */
type Described<Fields, Options> = Omit<SourceInstance<Options>, 'name' | 'missing'> & {
  missing: readonly (keyof Fields & string)[];
};

/**
 * The instance that settings without a name describe counts if one of them is set, or if there is no other. What an
 * instance lacks is named by its setting, or by `setting.name.field`.
 */
function instancesOf<Fields extends object, Options>(
  setting: InstancesName,
  unnamed: Fields,
  settings: Readonly<Record<keyof Fields, SettingName>>,
  named: ReadonlyMap<string, Fields> | undefined,
  describe: (fields: Fields) => Described<Fields, Options>,
): SourceInstance<Options>[] {
  const others = [...(named ?? [])].map(([name, fields]) => {
    const { missing, ...described } = describe(fields);
    return {
      name,
      ...described,
      missing: missing.map((field): MissingSetting => `${setting}.${name}.${field}`),
    };
  });
  const isSet = Object.values(unnamed).some((value) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined,
  );
  if (!isSet && others.length > 0) return others;
  const { missing, ...described } = describe(unnamed);
  return [
    { name: DEFAULT_INSTANCE, ...described, missing: missing.map((field) => settings[field]) },
    ...others,
  ];
}

/**
 * What a connector of the family is made with: the instances that are complete, and their secrets, unless it asks for them
 * with each call. Others need another connector.
 */
export function secretsOf(config: Config, family: SourceFamily): string {
  const made = <Options>(
    instances: readonly SourceInstance<Options>[],
    secretOf: (options: Options) => string | null,
  ) => JSON.stringify(instances.map(({ options }) => options !== null && (secretOf(options) ?? true)));
  switch (family) {
    case 'blob':
      return made(blobInstances(config), (options) => ('secret' in options ? options.secret : null));
    case 's3':
      return made(s3Instances(config), () => null);
    case 'sql':
      return made(sqlInstances(config), sqlServerOf);
    default:
      return '';
  }
}
