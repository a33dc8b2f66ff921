import { whole } from './setting-kinds.ts';

/** How many days each kind of rows is kept. `core/retention/kept.sql.ts` says what they are. */
export const RETENTION_SETTINGS = {
  SVC_RETENTION_CAMPAIGN_DAYS: whole(
    'Days that ended scans and rescores are kept, with their units',
    7,
    3_650,
    180,
  ),
  SVC_RETENTION_ROUTINE_CAMPAIGN_DAYS: whole(
    'Days that deltas of schedules and notifications, and rescores after decisions, are kept if all went well',
    1,
    3_650,
    14,
  ),
  SVC_RETENTION_NOTIFICATION_DAYS: whole('Days that change notifications are kept', 1, 365, 30),
  SVC_RETENTION_SESSION_DAYS: whole('Days that sessions are kept after their end', 1, 365, 30),
  SVC_RETENTION_ANALYST_DAYS: whole('Days that questions to the analyst are kept', 1, 365, 90),
  SVC_RETENTION_EXCERPT_DAYS: whole(
    'Days that redacted excerpts are kept, unless an open question, finding or action needs them',
    1,
    3_650,
    180,
  ),
  SVC_RETENTION_MESSAGE_DAYS: whole(
    'Days that previews of messages are kept, with the names of their attachments',
    1,
    3_650,
    180,
  ),
  SVC_RETENTION_REMOVED_ASSET_DAYS: whole(
    'Days that what was derived from an asset is kept after its source removed the asset',
    1,
    3_650,
    90,
  ),
  SVC_RETENTION_TREND_DAYS: whole('Days that the daily counts of trends are kept', 30, 3_650, 400),
  SVC_RETENTION_TELEMETRY_DAYS: whole('Days that sent telemetry is kept to be looked at', 90, 3_650, 90),
};
