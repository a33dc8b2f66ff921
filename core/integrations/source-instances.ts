import type { Config, SettingName } from '../config/config.ts';
import { DEFAULT_INSTANCE } from '../config/setting-kinds.ts';
import type { BlobInstance } from '../config/source-settings.ts';
import { type BlobOptions, blobScopeIds } from '../connectors/blob/blob-connector.ts';
import type { SourceFamily } from '../connectors/connector.ts';
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
  /** The ids of its scopes, as far as the configuration says them. */
  scopeIds: readonly string[];
  /** Null if something is missing. */
  options: Options | null;
};

/** `settingOf`: what a person calls a field. */
type Instance<Fields> = { name: string; fields: Fields; settingOf(field: keyof Fields): MissingSetting };

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
  const unnamed: Instance<BlobInstance> = {
    name: DEFAULT_INSTANCE,
    fields: {
      accountUrl: config.SVC_BLOB_ACCOUNT_URL,
      filesUrl: config.SVC_BLOB_FILES_URL,
      credentialRef: config.SVC_BLOB_CREDENTIAL_REF,
      azureIdentity: config.SVC_BLOB_AZURE_IDENTITY || undefined,
      tenantId: config.SVC_BLOB_TENANT_ID,
      clientId: config.SVC_BLOB_CLIENT_ID,
      accountId: config.SVC_BLOB_ACCOUNT_ID,
      containers: config.SVC_BLOB_CONTAINERS,
      shares: config.SVC_BLOB_SHARES,
    },
    settingOf: (field) => BLOB_SETTINGS[field],
  };
  const named = [...(config.SVC_BLOB_INSTANCES ?? [])].map(
    ([name, fields]): Instance<BlobInstance> => ({
      name,
      fields,
      settingOf: (field) => `SVC_BLOB_INSTANCES.${name}.${field}`,
    }),
  );
  return withUnnamed(unnamed, named).map(({ name, fields, settingOf }) => {
    const { accountUrl, filesUrl, containers, shares } = fields;
    const missing = missingOfBlob(config, fields);
    const credential = blobCredential(config, fields);
    return {
      name,
      missing: missing.map(settingOf),
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

/** The instance that settings without a name describe counts if one of them is set, or if there is no other. */
function withUnnamed<Fields extends object>(
  unnamed: Instance<Fields>,
  named: readonly Instance<Fields>[],
): readonly Instance<Fields>[] {
  const isSet = Object.values(unnamed.fields).some((value) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined,
  );
  return isSet || named.length === 0 ? [unnamed, ...named] : named;
}

/** What a connector of the family is made with. Another secret needs another connector. Those of the suite are asked for. */
export function secretsOf(config: Config, family: SourceFamily): string {
  if (family === 's3') return config.secret('SVC_S3_CREDENTIAL_REF') ?? '';
  if (family !== 'blob') return '';
  return JSON.stringify(
    blobInstances(config).map(({ options }) =>
      options !== null && 'secret' in options ? options.secret : null,
    ),
  );
}
