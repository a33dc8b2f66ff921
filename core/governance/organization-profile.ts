import { z } from 'zod';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { newId } from '../kernel/ids.ts';
import { lineOf } from '../kernel/line.ts';
import type { By } from './by.ts';

const words = (most: number) => z.array(lineOf(100)).max(most).default([]);

/** What an organization says of itself. A taxonomy is drafted from it. */
export const ProfileRequestSchema = z.strictObject({
  name: lineOf(200),
  industries: words(20),
  geographies: words(50),
  description: z.string().trim().max(4_000).default(''),
});

export const ProfileSchema = ProfileRequestSchema.extend({
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

/** Stores the profile in place of the former one, whose id it keeps. */
export async function saveProfile(
  tx: Tx,
  { principal, audit, now }: By,
  { name, industries, geographies, description }: z.infer<typeof ProfileRequestSchema>,
): Promise<{ profileId: string }> {
  const at = new Date(now);
  const [saved] = await tx.query<{ profileId: string }>(sql`
    insert into organization_profiles (tenant_id, profile_id, name, industries, geographies, description, updated_by,
                                       created_at, updated_at)
    values (${tx.tenantId}, ${newId('prf', now)}, ${name}, ${industries}::text[], ${geographies}::text[],
            ${description}, ${principal.principalId}, ${at}, ${at})
    on conflict (tenant_id) do update
      set name = excluded.name, industries = excluded.industries, geographies = excluded.geographies,
          description = excluded.description, updated_by = excluded.updated_by, updated_at = excluded.updated_at
    returning profile_id as "profileId"`);
  if (saved === undefined) throw new Error('The profile was not stored');
  audit({
    category: 'governance',
    type: 'organization_profile_saved',
    target: { kind: 'organization_profile', id: saved.profileId },
    details: { industries: industries.length, geographies: geographies.length },
  });
  return saved;
}
