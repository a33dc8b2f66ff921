import { ROUTINE } from '../campaigns/campaigns.sql.ts';
import type { SettingName } from '../config/config.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { emptyAssets } from './assets.sql.ts';
import { deleteCampaigns } from './campaigns.sql.ts';
import { emptyMessages } from './messages.sql.ts';
import type { LetGo } from './removed.sql.ts';

type RetentionSetting = Extract<SettingName, `SVC_RETENTION_${string}_DAYS`>;

/** A kind of rows that do not stay for ever. In statements, `k` is the row. */
export type Kept = {
  kind: string;
  /** What goes, and what stays of it. */
  about: string;
  setting: RetentionSetting;
  /** The table, as `k`. */
  from: Statement;
  /** Its id, a text that is unique in the tenant. */
  id: Statement;
  /** The time from which the days count. An index has the tenant, this time and the id, under the condition `of`. */
  since: Statement;
  /** Which rows of the table are of this kind. */
  of: Statement;
  /** Nothing needs the row any more. */
  free: Statement;
  /** Rows looked at in one transaction. */
  batch: number;
  /** Removes the rows with these ids for which `rest` still holds: the kind, its time and that nothing needs them. */
  letGo(tx: Tx, ids: readonly string[], rest: Statement, now: number): Promise<LetGo>;
};

const BATCH = 500;

const anything = sql`true`;

const finding = (assetId: Statement) => sql`
  select from findings f where f.tenant_id = k.tenant_id and f.asset_id = ${assetId} and f.status <> 'resolved'`;
const action = (assetId: Statement) => sql`
  select from actions t where t.tenant_id = k.tenant_id and t.target_asset_id = ${assetId}
     and t.status in ('draft', 'blocked', 'awaiting_approval', 'approved', 'executing')`;
/** Of an asset that was removed nobody can answer one. */
const question = (assetId: Statement) => sql`
  select from candidates c
   where c.tenant_id = k.tenant_id and c.asset_id = ${assetId} and c.status in ('pending', 'deferred')
     and c.asset_active`;
/** No finding is unresolved, no question is open and no action waits that excerpts of the asset are evidence for. */
const settled = (assetId: Statement) => sql`
  (not exists (${finding(assetId)}) and not exists (${question(assetId)}) and not exists (${action(assetId)}))`;

/** A campaign is the record of when its scope was last read until a newer one of the scope has completed. */
const superseded = sql`
  (not k.cancelling
   and not exists (select from campaign_ends e where e.tenant_id = k.tenant_id and e.campaign_id = k.campaign_id)
   and case when k.scope_id is null
         then exists (select from campaigns n where n.tenant_id = k.tenant_id and n.scope_id is null
                         and n.created_at > k.created_at and n.status = 'completed')
         else exists (select from campaigns n where n.tenant_id = k.tenant_id and n.scope_id = k.scope_id
                         and n.created_at > k.created_at and n.status = 'completed') end)`;

const campaigns = {
  from: sql`campaigns k`,
  id: sql`k.campaign_id`,
  since: sql`k.finished_at`,
  free: superseded,
  // Each has many units.
  batch: 50,
  letGo: deleteCampaigns,
};

/**
 * Everything that grows and does not stay for ever. A new table is one entry here, one setting, and one index. What is
 * append-only is not here: `docs/retention.md` says why it stays.
 */
export const KEPT: readonly Kept[] = [
  {
    kind: 'campaigns',
    about:
      'Ended campaigns that are not routine, with their units, dead letters and stage outcomes. The newest completed one ' +
      'of each scope stays.',
    setting: 'SVC_RETENTION_CAMPAIGN_DAYS',
    ...campaigns,
    of: sql`k.status in ('completed', 'cancelled') and not ${ROUTINE}`,
  },
  {
    kind: 'routine_campaigns',
    about:
      'Deltas that the service started, and rescores after decisions, that completed without a failure, with their units.',
    setting: 'SVC_RETENTION_ROUTINE_CAMPAIGN_DAYS',
    ...campaigns,
    of: ROUTINE,
  },
  {
    ...allOf('change_notifications', sql`change_notifications`, sql`k.notification_id`, sql`k.received_at`),
    about: 'Change notifications that were received.',
    setting: 'SVC_RETENTION_NOTIFICATION_DAYS',
  },
  {
    ...allOf('sessions', sql`sessions`, sql`k.session_id`, sql`k.expires_at`),
    about:
      'Sessions that are over. The days count from the moment at which the session would have ended in any case.',
    setting: 'SVC_RETENTION_SESSION_DAYS',
  },
  {
    ...allOf('analyst_queries', sql`analyst_queries`, sql`k.query_id`, sql`k.asked_at`),
    about: 'Questions to the analyst. Saved plans stay until a person deletes them.',
    setting: 'SVC_RETENTION_ANALYST_DAYS',
  },
  {
    ...allOf('sent_telemetry', sql`telemetry_sent`, sql`k.telemetry_id`, sql`k.sent_at`),
    about: 'Telemetry that was sent.',
    setting: 'SVC_RETENTION_TELEMETRY_DAYS',
  },
  {
    ...allOf('trend_days', sql`trend_days`, sql`(k.domain_id || ' ' || k.day)`, sql`k.measured_at`),
    about: 'The daily counts of trends.',
    setting: 'SVC_RETENTION_TREND_DAYS',
  },
  {
    kind: 'excerpts',
    about: 'Redacted excerpts of assets without an open question, an unresolved finding or an open action.',
    setting: 'SVC_RETENTION_EXCERPT_DAYS',
    from: sql`asset_features k`,
    id: sql`k.asset_id`,
    since: sql`k.computed_at`,
    of: sql`k.excerpts <> '[]'::jsonb`,
    free: settled(sql`k.asset_id`),
    batch: BATCH,
    letGo: async (tx, ids, rest) => ({
      removed: {
        excerpts: await tx.execute(sql`
          update asset_features k set excerpts = '[]'
           where k.tenant_id = ${tx.tenantId} and k.asset_id = any(${ids}::text[]) and ${rest}`),
      },
      finished: true,
    }),
  },
  {
    ...allOf('decision_excerpts', sql`decision_excerpts`, sql`k.decision_id`, sql`k.created_at`),
    about:
      'Redacted excerpts that a decision was taken on, of assets as above. The decision and its signals stay.',
    setting: 'SVC_RETENTION_EXCERPT_DAYS',
    free: settled(sql`(
      select d.asset_id from decisions d where d.tenant_id = k.tenant_id and d.decision_id = k.decision_id)`),
  },
  {
    kind: 'message_previews',
    about: 'Previews of messages, with the names of their attachments. What detectors found stays.',
    setting: 'SVC_RETENTION_MESSAGE_DAYS',
    from: sql`messages k`,
    id: sql`k.message_id`,
    since: sql`k.stored_at`,
    of: sql`k.preview is not null`,
    free: anything,
    batch: BATCH,
    letGo: emptyMessages,
  },
  {
    kind: 'removed_assets',
    about:
      'What was derived from assets that are no longer in their source: signals, features, excerpts, words, signatures, ' +
      'sharing. Id, name and path stay for the record of decisions and actions.',
    setting: 'SVC_RETENTION_REMOVED_ASSET_DAYS',
    from: sql`assets k`,
    id: sql`k.asset_id`,
    since: sql`k.deleted_at`,
    of: sql`k.status = 'deleted' and (k.emptied_at is null or k.emptied_at < k.deleted_at)`,
    free: sql`(not exists (${finding(sql`k.asset_id`)}) and not exists (${action(sql`k.asset_id`)}))`,
    batch: 200,
    letGo: emptyAssets,
  },
];

/** All rows of a table, of which nothing is needed. */
function allOf(kind: string, table: Statement, id: Statement, since: Statement) {
  const from = sql`${table} k`;
  const letGo: Kept['letGo'] = async (tx, ids, rest) => ({
    removed: {
      [kind]: await tx.execute(sql`
        delete from ${from} where k.tenant_id = ${tx.tenantId} and ${id} = any(${ids}::text[]) and ${rest}`),
    },
    finished: true,
  });
  return { kind, from, id, since, of: anything, free: anything, batch: BATCH, letGo };
}
