import { z } from 'zod';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { validationFailed } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { lineOf } from '../kernel/line.ts';
import type { By } from './by.ts';

const words = (most: number) => z.array(lineOf(100)).max(most);

/** How an organization describes itself. Taxonomies are drafted from it. */
const WordsOfProfileSchema = z.strictObject({
  name: lineOf(200),
  industries: words(20),
  geographies: words(50),
  description: z.string().trim().max(4_000),
});

/** Omitted fields stay as they are. The first profile needs a name. */
export const ProfileRequestSchema = WordsOfProfileSchema.partial();

export const ProfileSchema = WordsOfProfileSchema.extend({
  profileId: z.string(),
  updatedAt: z.iso.datetime(),
  updatedBy: z.string(),
});
type StoredProfile = Omit<z.infer<typeof ProfileSchema>, 'updatedAt'> & { updatedAt: Date };

/** The tenant's profile, or null before there is one. */
export async function loadProfile(tx: Tx): Promise<StoredProfile | null> {
  const [profile] = await tx.query<StoredProfile>(sql`
    select profile_id as "profileId", name, industries, geographies, description, updated_at as "updatedAt",
           updated_by as "updatedBy"
      from organization_profiles where tenant_id = ${tx.tenantId}`);
  return profile ?? null;
}

/**
 * Changes the given fields of the profile, or stores the first one. Throws `validation_failed` if the first one has
 * no name.
 */
export async function saveProfile(
  tx: Tx,
  by: By,
  request: z.infer<typeof ProfileRequestSchema>,
): Promise<{ profileId: string }> {
  const saved = (await addProfile(tx, by, request)) ?? (await changeProfile(tx, by, request));
  if (saved === undefined)
    throw validationFailed([
      { path: 'name', message: 'There is no profile yet. The first one needs a name.' },
    ]);
  const { profileId, industries, geographies } = saved;
  by.audit({
    category: 'governance',
    type: 'organization_profile_saved',
    target: { kind: 'organization_profile', id: profileId },
    details: { fields: Object.keys(request).join('.') || 'none', industries, geographies },
  });
  return { profileId };
}

type Saved = { profileId: string; industries: number; geographies: number };
const saved = sql`
  profile_id as "profileId", cardinality(industries) as industries, cardinality(geographies) as geographies`;

/** Adds the profile. Returns nothing if there already is one, or if the request has no name. */
async function addProfile(
  tx: Tx,
  { principal, now }: By,
  { name, industries = [], geographies = [], description = '' }: z.infer<typeof ProfileRequestSchema>,
): Promise<Saved | undefined> {
  if (name === undefined) return undefined;
  const at = new Date(now);
  const [added] = await tx.query<Saved>(sql`
    insert into organization_profiles (tenant_id, profile_id, name, industries, geographies, description, updated_by,
                                       created_at, updated_at)
    values (${tx.tenantId}, ${newId('prf', now)}, ${name}, ${industries}::text[], ${geographies}::text[],
            ${description}, ${principal.principalId}, ${at}, ${at})
    on conflict (tenant_id) do nothing returning ${saved}`);
  return added;
}

/** Changes the profile. Returns nothing if there is none. */
async function changeProfile(
  tx: Tx,
  { principal, now }: By,
  { name, industries, geographies, description }: z.infer<typeof ProfileRequestSchema>,
): Promise<Saved | undefined> {
  const [changed] = await tx.query<Saved>(sql`
    update organization_profiles
       set name = coalesce(${name ?? null}, name), industries = coalesce(${industries ?? null}::text[], industries),
           geographies = coalesce(${geographies ?? null}::text[], geographies),
           description = coalesce(${description ?? null}, description), updated_by = ${principal.principalId},
           updated_at = ${new Date(now)}
     where tenant_id = ${tx.tenantId} returning ${saved}`);
  return changed;
}
