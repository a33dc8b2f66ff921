import type { Config, SettingName } from '../config/config.ts';
import { DEFAULT_INSTANCE } from '../config/setting-kinds.ts';
import type { BlobInstance } from '../config/source-settings.ts';
import type { BlobOptions } from '../connectors/blob/blob-connector.ts';
import type { SourceFamily } from '../connectors/connector.ts';

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
  /** Null if something is missing. */
  options: Options | null;
};

/** The storage accounts. Without any setting there is one, which misses all. */
export function blobInstances(config: Config): SourceInstance<BlobOptions>[] {
  const unnamed: Instance<BlobInstance> = {
    name: DEFAULT_INSTANCE,
    fields: {
      accountUrl: config.SVC_BLOB_ACCOUNT_URL,
      credentialRef: config.SVC_BLOB_CREDENTIAL_REF,
      containers: config.SVC_BLOB_CONTAINERS,
    },
    settings: {
      accountUrl: 'SVC_BLOB_ACCOUNT_URL',
      credentialRef: 'SVC_BLOB_CREDENTIAL_REF',
      containers: 'SVC_BLOB_CONTAINERS',
    },
  };
  const named = [...(config.SVC_BLOB_INSTANCES ?? [])].map(
    ([name, fields]): Instance<BlobInstance> => ({
      name,
      fields,
      settings: {
        accountUrl: `SVC_BLOB_INSTANCES.${name}.accountUrl`,
        credentialRef: `SVC_BLOB_INSTANCES.${name}.credentialRef`,
        containers: `SVC_BLOB_INSTANCES.${name}.containers`,
      },
    }),
  );
  return withUnnamed(unnamed, named).map(({ name, fields, settings }) => {
    const { accountUrl, credentialRef, containers } = fields;
    const secret = credentialRef === undefined ? null : config.secretIn(credentialRef);
    const missing = [
      ...(accountUrl === undefined ? [settings.accountUrl] : []),
      ...(secret === null ? [settings.credentialRef] : []),
      ...(containers.length === 0 ? [settings.containers] : []),
    ];
    const options =
      accountUrl === undefined || secret === null || containers.length === 0
        ? null
        : { accountUrl, secret, containers };
    return { name, missing, selected: containers, options };
  });
}

/** `settings`: what a person calls each field. */
type Instance<Fields> = { name: string; fields: Fields; settings: Record<keyof Fields, MissingSetting> };

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
export const secretsOf = (config: Config, family: SourceFamily): string =>
  family === 'blob' ? JSON.stringify(blobInstances(config).map(({ options }) => options?.secret)) : '';
