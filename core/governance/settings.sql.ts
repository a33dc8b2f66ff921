import { z } from 'zod';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { By } from './by.ts';

const DataHandlingProfileSchema = z.enum(['metadata_only', 'minimized_evidence', 'enhanced_evidence']);

/** `configVersion` is raised with each change; what a scan derives under one is derived anew under the next. */
export const SettingsSchema = z.object({
  dataHandlingProfile: DataHandlingProfileSchema,
  configVersion: z.int(),
});
type Settings = z.infer<typeof SettingsSchema>;

/** `configVersion` is the one that the caller looked at: where it is another by now, the answer is `conflict`. */
export const SettingsChangeSchema = z.strictObject({
  dataHandlingProfile: DataHandlingProfileSchema,
  configVersion: z.int().min(1).optional(),
});

const columns = sql`data_handling_profile as "dataHandlingProfile", config_version as "configVersion"`;

const only = ([settings]: Settings[]): Settings => {
  if (settings === undefined) throw new Error('The tenant is not there');
  return settings;
};

export const loadSettings = async (tx: Tx): Promise<Settings> =>
  only(await tx.query<Settings>(sql`select ${columns} from tenants where tenant_id = ${tx.tenantId}`));

/**
 * Sets what evidence the tenant keeps. The next scan of each scope derives its evidence anew; until then excerpts of a
 * profile that kept more are not shown under one that keeps none. Excerpts that were kept beside answers are removed.
 * Throws `conflict`.
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
    throw new ServiceError('conflict', 'The settings have changed since you looked. Read them again.');
  const changed = only(
    await tx.query<Settings>(sql`
      update tenants set data_handling_profile = ${dataHandlingProfile}, config_version = config_version + 1
       where tenant_id = ${tx.tenantId} returning ${columns}`),
  );
  // Those beside answers are of content that may be gone: they cannot be derived again.
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
