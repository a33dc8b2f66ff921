import { z } from 'zod';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { By } from './by.ts';

const DataHandlingProfileSchema = z.enum(['metadata_only', 'minimized_evidence', 'enhanced_evidence']);

/** Each change raises `configVersion`. The next scan then derives evidence again. */
export const SettingsSchema = z.object({
  dataHandlingProfile: DataHandlingProfileSchema,
  configVersion: z.int(),
});
type Settings = z.infer<typeof SettingsSchema>;

/** `configVersion` is the one that the caller has read. If it has changed since, the response is `conflict`. */
export const SettingsChangeSchema = z.strictObject({
  dataHandlingProfile: DataHandlingProfileSchema,
  configVersion: z.int().min(1).optional(),
});

const columns = sql`data_handling_profile as "dataHandlingProfile", config_version as "configVersion"`;

const only = ([settings]: Settings[]): Settings => {
  if (settings === undefined) throw new Error('The tenant does not exist');
  return settings;
};

export const loadSettings = async (tx: Tx): Promise<Settings> =>
  only(await tx.query<Settings>(sql`select ${columns} from tenants where tenant_id = ${tx.tenantId}`));

/**
 * Sets the data-handling profile. The next scan of each scope derives its evidence again. Until then, excerpts of the
 * earlier profile are hidden if the new one keeps none. Excerpts of answers are deleted. Throws `conflict`.
 */
export async function changeSettings(
  tx: Tx,
  { principal, audit }: Omit<By, 'now'>,
  { dataHandlingProfile, configVersion }: z.infer<typeof SettingsChangeSchema>,
): Promise<Settings> {
  const stored = only(
    await tx.query<Settings>(sql`
      select ${columns} from tenants where tenant_id = ${tx.tenantId} for no key update`),
  );
  if (stored.dataHandlingProfile === dataHandlingProfile) return stored;
  if (configVersion !== undefined && configVersion !== stored.configVersion)
    throw new ServiceError('conflict', 'The settings have changed since you read them. Read them again.');
  const changed = only(
    await tx.query<Settings>(sql`
      update tenants set data_handling_profile = ${dataHandlingProfile}, config_version = config_version + 1
       where tenant_id = ${tx.tenantId} returning ${columns}`),
  );
  // The content of an answer may no longer exist, so its excerpts cannot be derived again.
  await tx.execute(sql`delete from decision_excerpts where tenant_id = ${tx.tenantId}`);
  audit({
    category: 'config',
    type: 'data_handling_profile_changed',
    target: { kind: 'tenant', id: principal.tenantId },
    details: {
      from: stored.dataHandlingProfile,
      to: dataHandlingProfile,
      configVersion: changed.configVersion,
    },
  });
  return changed;
}
