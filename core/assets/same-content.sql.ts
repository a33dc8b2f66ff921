import { sql } from '../db/sql.ts';

/**
 * The content version that `decisions d` was given on. For decisions of former releases that did not store it, it is
 * derived from the time.
 */
export const judgedContentVersion = sql`coalesce(d.content_version, (
  select v.content_version from asset_versions v
   where v.tenant_id = d.tenant_id and v.asset_id = d.asset_id and v.observed_at <= d.created_at
   order by v.version desc limit 1))`;

/** The content version of `assets a` that was last observed. */
export const lookedAtContentVersion = sql`coalesce((
  select v.content_version from asset_versions v
   where v.tenant_id = a.tenant_id and v.asset_id = a.asset_id order by v.version desc limit 1), a.content_version)`;

/**
 * Whether `assets a` still has the content that `decisions d` was given on. It compares the bytes, or the content
 * versions if no bytes were read.
 */
export const isSameContent = sql`case
  when d.content_hash is not null and a.content_hash is not null then d.content_hash = a.content_hash
  else ${judgedContentVersion} is not distinct from ${lookedAtContentVersion} end`;
