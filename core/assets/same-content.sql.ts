import { sql } from '../db/sql.ts';

/** Of `decisions d`: the source's version of the content that it was given on; of a release that did not name it, by time. */
export const judgedContentVersion = sql`coalesce(d.content_version, (
  select v.content_version from asset_versions v
   where v.tenant_id = d.tenant_id and v.asset_id = d.asset_id and v.observed_at <= d.created_at
   order by v.version desc limit 1))`;

/** Of `assets a`: the source's version of the content that was looked at last. */
export const lookedAtContentVersion = sql`coalesce((
  select v.content_version from asset_versions v
   where v.tenant_id = a.tenant_id and v.asset_id = a.asset_id order by v.version desc limit 1), a.content_version)`;

/** Whether `assets a` holds what it held when `decisions d` was given: the same bytes, or where none were read the same version. */
export const isSameContent = sql`case
  when d.content_hash is not null and a.content_hash is not null then d.content_hash = a.content_hash
  else ${judgedContentVersion} is not distinct from ${lookedAtContentVersion} end`;
