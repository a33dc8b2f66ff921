import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config/config.ts';
import {
  type Connector,
  ConnectorError,
  type RefusedSite,
  type ScopePage,
  type SourceFamily,
} from '../../connectors/connector.ts';
import type { Db } from '../../db/tx.ts';
import { createCloudDriveAccess } from '../../integrations/cloud-drive-access.ts';
import { findConnector, INTEGRATION_OF, type SourceParts } from '../../integrations/connector-for.ts';
import { createFileBoxAccess } from '../../integrations/file-box-access.ts';
import { createGraphAccess } from '../../integrations/graph-access.ts';
import { integrationModes, missingFor } from '../../integrations/integrations.ts';
import { probeSource } from '../../integrations/probe-source.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { SOURCE_FAMILIES } from '../../kernel/vocabulary.ts';
import { webhookUrls } from '../../notifications/webhook-urls.ts';
import { createLogger } from '../../observability/log.ts';
import { createMetrics } from '../../observability/metrics.ts';
import { type Check, counted, fail, type Outcome, pass, skipped, warn } from './check.ts';
import { judgeProbe } from './judge-probe.ts';
import { judgeSource } from './judge-source.ts';
import type { Subject } from './subject.ts';

/** Connectors of the configuration belong to no tenant; only the fixture asks for one. */
const ANY_TENANT = 'any' as TenantId;
/** Graph calls the webhook meanwhile. */
const PROBE_WITHIN_MS = 20_000;

/** The sources that are tested capability by capability. */
const PROVEN_BY_PROBE: Partial<Readonly<Record<SourceFamily, string>>> = {
  m365: 'If it is configured: Microsoft 365 answers for each capability that is used, and no permission is missing.',
  chat: 'If the source is switched on: the selected teams and channels can be read, and no permission is missing.',
  cloud_drive:
    'If the source is switched on: the selected drives can be read, and the service account cannot write.',
  file_box:
    'If the source is switched on: the selected folders can be read, and what the application may do besides is named.',
  mail: 'If the source is switched on: each selected mailbox can be read, and the credential reaches no other.',
};

export const SOURCE_CHECKS: readonly Check[] = [
  ...SOURCE_FAMILIES.map(
    (family): Check => ({
      id: `sources.${family}`,
      proves:
        PROVEN_BY_PROBE[family] ??
        'If the source is switched on: it is configured, and each of its scopes lets itself be listed.',
      needs: ['configuration.settings'],
      ...(PROVEN_BY_PROBE[family] !== undefined && { withinMs: PROBE_WITHIN_MS + 5_000 }),
      run: (subject, signal) => checkSource(subject, family, signal),
    }),
  ),
  {
    id: 'sources.smb-read-only',
    proves: 'The service cannot write to the mounted shares.',
    needs: ['sources.smb'],
    run: ({ config }) => checkReadOnly(config),
  },
];

async function checkSource(
  { config, db }: Subject,
  family: SourceFamily,
  signal: AbortSignal,
): Promise<Outcome> {
  const mode = modeOf(config, family);
  if (mode === 'disabled') return skipped('The source is switched off.');
  if (mode === 'mock')
    return config.SVC_ENV === 'development'
      ? pass('The source is the company of the fixture.')
      : skipped('The source is not configured.');
  const parts = partsOf(config, db);
  const within = AbortSignal.any([signal, AbortSignal.timeout(PROBE_WITHIN_MS)]);
  if (family === 'm365' && missingFor(config, 'connector').length === 0) {
    const { probe } = await probeSource(parts, ANY_TENANT, family, webhookUrls(config), within);
    return judgeProbe(probe);
  }
  if (family === 'chat' || family === 'mail' || family === 'cloud_drive' || family === 'file_box') {
    const { probe } = await probeSource(parts, ANY_TENANT, family, webhookUrls(config), within);
    return judgeSource(family, probe);
  }
  try {
    const connector = findConnector(parts, ANY_TENANT, family);
    const missing = 'missing' in connector ? connector.missing : missingFor(config, INTEGRATION_OF[family]);
    if (missing.length > 0 && isUntouched(config, family)) return skipped('The source is not configured.');
    // A scan reads the instances that are complete. Here the settings of the others come first.
    if (missing.length > 0)
      return fail('The source is switched on and not configured.', `Set ${missing.join(', ')}.`);
    if (!('missing' in connector)) return await checkScopes(connector, signal);
    return warn('This release cannot read the source.', 'Switch it off until a release can.');
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    return refused('The source', error);
  }
}

/** Nothing is logged: what a call reports is reported by the check. */
function partsOf(config: Config, db: Db): SourceParts {
  const clock = systemClock;
  const log = createLogger({ level: 'error', clock, destination: { write: () => undefined } });
  const parts = { config, db, clock, log, metrics: createMetrics() };
  const graph = createGraphAccess(parts);
  const cloudDrive = createCloudDriveAccess(parts);
  const fileBox = createFileBoxAccess(parts);
  return { config, db, clock, graph, cloudDrive, fileBox, fixture: null };
}

const modeOf = (config: Config, family: SourceFamily) =>
  integrationModes(config, {
    lingeringScopes: new Set(),
    built: new Set(),
    hasFixture: config.SVC_ENV === 'development' && config.SVC_CONNECTOR_MODE === 'mock',
  })[INTEGRATION_OF[family]];

/** The main connector has no switch: without the fixture and without any of its settings it is off. */
const isUntouched = (config: Config, family: SourceFamily): boolean =>
  family === 'm365' &&
  config.SVC_GRAPH_TENANT_ID === undefined &&
  config.SVC_GRAPH_CLIENT_ID === undefined &&
  config.SVC_GRAPH_CLIENT_SECRET_REF === undefined;

/** A source may have thousands of scopes, and a check has ten seconds. */
const SCOPES_LISTED = 20;
/** A source has a page of scopes for each of its instances. */
const MAX_PAGES = 50;

/** Lists the first page of each scope, as a walk does; of many, of the first, and of one of each instance. */
async function checkScopes(connector: Connector, signal: AbortSignal): Promise<Outcome> {
  let listed = 0;
  let found = 0;
  const lacking = new Set<string>();
  let pageToken: string | null = null;
  for (let page = 1; page <= MAX_PAGES; page++) {
    const {
      scopes,
      refused: places = [],
      nextPageToken,
    }: ScopePage = await connector.listScopes(pageToken, signal);
    if (places[0] !== undefined) return refusedPlace(places[0]);
    for (const [at, { externalId }] of scopes.slice(0, Math.max(1, SCOPES_LISTED - listed)).entries()) {
      try {
        await connector.listItems(externalId, null, signal);
        for (const right of (await connector.refusedRights?.(externalId, signal)) ?? []) lacking.add(right);
      } catch (error) {
        if (!(error instanceof ConnectorError)) throw error;
        return refused(`Scope ${found + at + 1}, in the order of the instances and of their names,`, error);
      }
      listed += 1;
    }
    found += scopes.length;
    pageToken = nextPageToken;
    if (pageToken === null) break;
  }
  if (found === 0) return warn('The configuration selects no scope.', 'Select what is to be scanned.');
  const said =
    listed === found
      ? `${counted(listed, 'scope')} could be listed.`
      : `${counted(listed, 'scope')} of ${found} could be listed; the others were not asked.`;
  return lacking.size === 0
    ? pass(said)
    : warn(
        `${said} Refused: ${[...lacking].join(', ')}.`,
        'Grant them: docs/permissions.md says what is unknown without each.',
      );
}

/** A site may have the name of a person. An instance has that of its settings. */
const refusedPlace = ({ siteId, reason }: RefusedSite): Outcome => {
  const [, instance] = /^instance:(.*)$/s.exec(siteId) ?? [];
  return fail(
    `${instance === undefined ? 'A place that is selected' : `The instance ${instance}`} cannot be listed: ${reason}.`,
    reason === 'denied'
      ? 'Renew its credential, and compare its form with docs/sources.md.'
      : 'Compare its settings with docs/sources.md, and check that this machine may reach it.',
  );
};

/** What to do about the diagnostics of connectors. */
const STEPS: Readonly<Record<string, string>> = {
  blob_container_denied:
    'Let the credential list and read the containers and shares: docs/permissions.md has the commands.',
  blob_container_name_invalid:
    'Correct SVC_BLOB_CONTAINERS and SVC_BLOB_SHARES: names have 3 to 63 small letters, digits and single hyphens.',
  blob_container_not_found: 'Correct SVC_BLOB_CONTAINERS, SVC_BLOB_SHARES or the addresses of the account.',
  blob_credential_malformed:
    'Let SVC_BLOB_CREDENTIAL_REF name a shared access signature, an account key or a connection string.',
  blob_credential_refused:
    'Renew the credential of SVC_BLOB_CREDENTIAL_REF, which has expired or is of another account.',
  s3_bucket_denied:
    'Let the credential of SVC_S3_CREDENTIAL_REF list and read the buckets: docs/permissions.md has the policy.',
  s3_bucket_elsewhere: 'Set SVC_S3_REGION to the region of the bucket, or correct SVC_S3_ENDPOINT.',
  s3_bucket_name_invalid:
    'Correct SVC_S3_BUCKETS: names have 3 to 63 small letters, digits, hyphens and dots. With SVC_S3_PATH_STYLE=true a bucket of before 2018 may have capitals and underscores.',
  s3_bucket_not_found: 'Correct SVC_S3_BUCKETS or SVC_S3_ENDPOINT.',
  s3_clock_skewed: 'Correct the clock of this machine: the store refuses a request that is 15 minutes off.',
  s3_credential_malformed:
    'Let SVC_S3_CREDENTIAL_REF name an access key as ID:SECRET, with a session token as ID:SECRET:TOKEN, or the JSON of both.',
  s3_credential_refused:
    'Renew the access key of SVC_S3_CREDENTIAL_REF, which has expired or is of another store.',
  s3_not_offered: 'Check SVC_S3_ENDPOINT: what answers there does not list buckets as S3 does.',
  share_unreachable: 'Mount it below SVC_SMB_ROOT, and check SVC_SMB_SHARES.',
  share_empty:
    'An empty folder is taken for a lost mount: mount the share, or take it out of SVC_SMB_SHARES.',
  share_denied: 'Let the user of the service read the folder.',
  share_not_a_folder: 'Name folders in SVC_SMB_SHARES that are no links.',
  share_selection_invalid: 'Name folders below SVC_SMB_ROOT in SVC_SMB_SHARES, without . and .. in them.',
  share_selection_overlaps: 'Take folders that lie in others out of SVC_SMB_SHARES.',
  sql_connection_malformed:
    'Let SVC_SQL_CONNECTION_REF name a connection string as postgres://LOGIN:PASSWORD@HOST:PORT/DATABASE, with % codes for special letters.',
  sql_connection_missing: 'Give the variable that SVC_SQL_CONNECTION_REF names its connection string.',
  sql_database_denied: 'Grant the login CONNECT on the database: docs/permissions.md has the statements.',
  sql_database_not_found: 'Correct the database in the connection string, or SVC_SQL_SCHEMAS.',
  sql_login_can_write:
    'Take every right to write away from the login, or use another one: docs/permissions.md has the statements.',
  sql_login_refused: 'Correct the login and password in the secret that SVC_SQL_CONNECTION_REF names.',
  sql_login_unchecked:
    'Let the login see its own rights: docs/permissions.md has the statements. A login that cannot be checked is not used.',
  sql_schema_not_found: 'Correct SVC_SQL_SCHEMAS: one of the schemas does not exist.',
  sql_selection_invalid: 'Name schemas in SVC_SQL_SCHEMAS, those of other databases as DATABASE/SCHEMA.',
  sql_tls_refused:
    'Turn TLS on at the server, with a certificate of its host name. For an authority of your own, name its certificate in NODE_EXTRA_CA_CERTS.',
  sql_tls_required:
    'Take sslmode=disable out of the connection string: without TLS only this machine is read.',
};

const refused = (what: string, { safeDiagnostic, retryClass }: ConnectorError): Outcome =>
  fail(
    `${what} cannot be read: ${safeDiagnostic}.`,
    STEPS[safeDiagnostic] ??
      (retryClass === 'auth'
        ? 'Renew the credentials of the source, and give them the right to read.'
        : 'Check that the source works and that this machine may reach it.'),
  );

async function checkReadOnly({ SVC_SMB_ROOT: root = '', SVC_SMB_SHARES: shares }: Config): Promise<Outcome> {
  const writable = await Promise.all(
    shares.map((share) =>
      access(path.join(root, share), constants.W_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return judgeWritable(writable.filter(Boolean).length);
}

export function judgeWritable(count: number): Outcome {
  if (count === 0) return pass('No share can be written to.');
  return warn(
    `${counted(count, 'share')} can be written to. The service only reads.`,
    'Mount the shares with the option ro, and as a user who may only read.',
  );
}
