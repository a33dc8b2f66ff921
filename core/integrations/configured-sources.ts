import type { Config, SettingName } from '../config/config.ts';
import { DEFAULT_INSTANCE } from '../config/setting-kinds.ts';
import type { SourceFamily } from '../connectors/connector.ts';
import { ServiceError } from '../kernel/errors.ts';
import { INTEGRATION_OF } from './connector-for.ts';
import { instancesOf, missingOfAll } from './integrations.ts';
import type { SourceInstance } from './source-instances.ts';

/** The setting that selects what of a family is scanned, of the instance without a name. */
export const SELECTED_BY = {
  m365: 'SVC_GRAPH_SITES',
  drive: 'SVC_DRIVE_IDS',
  blob: 'SVC_BLOB_CONTAINERS',
  s3: 'SVC_S3_BUCKETS',
  smb: 'SVC_SMB_SHARES',
  sql: 'SVC_SQL_SCHEMAS',
  cloud_drive: 'SVC_CLOUD_DRIVE_IDS',
  file_box: 'SVC_FILE_BOX_FOLDERS',
  chat: 'SVC_CHAT_TEAMS',
  mail: 'SVC_MAIL_MAILBOXES',
} as const satisfies Record<SourceFamily, SettingName>;

/** Further settings that select scopes of a family. */
const ALSO_SELECTED_BY: Readonly<Partial<Record<SourceFamily, readonly SettingName[]>>> = {
  blob: ['SVC_BLOB_SHARES', 'SVC_BLOB_INSTANCES'],
  s3: ['SVC_S3_INSTANCES'],
  sql: ['SVC_SQL_INSTANCES'],
};

/** The settings of which one must name a scope, for the person who sets them. */
export const selectingSettings = (family: SourceFamily): string =>
  [SELECTED_BY[family], ...(ALSO_SELECTED_BY[family] ?? [])].join(' or ');

type ConfiguredSource = Omit<SourceInstance<unknown>, 'options' | 'scopeIds'> & {
  /** Null where the family has one instance, to which all scopes belong. */
  scopeIds: readonly string[] | null;
};

/** The instances of a family as they are configured, whether or not they can be read. There is at least one. */
export function configuredSources(config: Config, family: SourceFamily): ConfiguredSource[] {
  const setting = SELECTED_BY[family];
  const shared = missingOfAll(config, INTEGRATION_OF[family]);
  const instances = instancesOf(config, INTEGRATION_OF[family]);
  if (instances.length > 0) {
    return instances.map(({ options: _, ...instance }) => ({
      ...instance,
      scopeIds: instance.scopeIds ?? [],
      missing: [...shared, ...instance.missing],
    }));
  }
  // The main connector is live without it, and finds nothing to scan.
  const missing = family === 'm365' && config.SVC_GRAPH_SITES.length === 0 ? [...shared, setting] : shared;
  return [
    {
      name: DEFAULT_INSTANCE,
      missing,
      selected: config[setting],
      scopeIds: null,
    },
  ];
}

/**
 * The ids of scopes that the configuration selects and cannot read now: their instance misses settings. Null if it does not
 * say which they are.
 */
export function unreadableScopeIds(config: Config, family: SourceFamily): string[] | null {
  const unreadable = instancesOf(config, INTEGRATION_OF[family])
    .filter(({ options, scopeIds }) => options === null || scopeIds === null)
    .map(({ scopeIds }) => scopeIds);
  return unreadable.includes(null) ? null : unreadable.flatMap((scopeIds) => scopeIds ?? []);
}

/** For a scan of a scope that is left out, or that no complete instance of the configuration selects. */
export function scopeNotSelected(config: Config, family: SourceFamily): ServiceError {
  const missing = configuredSources(config, family).flatMap((instance) => instance.missing);
  const step =
    missing.length > 0
      ? `set ${missing.join(', ')}`
      : `name it in PUT /api/admin/connectors/${family}/selection, and in ${selectingSettings(family)}`;
  return new ServiceError('blocked_capability', `This scope of ${family} is not selected: ${step}.`);
}
