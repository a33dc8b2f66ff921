import { stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import type { SourceFamily } from '../connectors/connector.ts';
import { BUILT_FAMILIES } from '../connectors/index.ts';
import { sqlState } from '../db/errors.ts';
import { UNKNOWN_HERE } from '../db/schema-version.ts';
import type { Db } from '../db/tx.ts';
import { INTEGRATION_OF } from '../integrations/connector-for.ts';
import type { FixtureCompany } from '../integrations/fixture-company.ts';
import { INTEGRATIONS, type IntegrationName, integrationModes } from '../integrations/integrations.ts';
import { SOURCE_WARNINGS } from '../integrations/source-warnings.ts';
import { OWN_PROBLEMS, type OwnProblem } from '../kernel/vocabulary.ts';
import type { Worker } from '../work/worker.ts';
import { registeredFamilies } from './readiness-families.sql.ts';

/** The integrations that this release implements for live systems: those of the families that have a factory, and these. */
const BUILT: ReadonlySet<IntegrationName> = new Set([
  ...BUILT_FAMILIES.map((family) => INTEGRATION_OF[family]),
  ...(['aiProvider', 'idpSignIn', 'labelRead', 'labelWrite', 'changeNotifications'] as const),
]);

/** Milliseconds after which a probe without a response counts as failed. */
const PROBE_TIMEOUT_MS = 2_000;

export const ReadinessSchema = z.object({
  status: z.enum(['ok', 'degraded']),
  dbOk: z.boolean(),
  env: z.enum(['development', 'production']),
  demoMode: z.boolean(),
  /** What this process cannot do. While it lasts, the process leases no work. */
  problems: z.array(z.enum(OWN_PROBLEMS)),
  integrations: z.record(z.enum(INTEGRATIONS), z.enum(['mock', 'live', 'blocked', 'disabled'])),
});
type Readiness = z.infer<typeof ReadinessSchema>;

/** A detail of readiness that operators see. It would help somebody who has found a credential, so it is not public. */
export const ReadinessWarningSchema = z.object({
  integration: z.enum(INTEGRATIONS).describe('As in the readiness report'),
  warning: z
    .enum(SOURCE_WARNINGS)
    .describe(
      '`reads_all_mailboxes`: the credential may read more mailboxes than the selected ones. ' +
        '`mailbox_reach_unknown`: nobody knows whether it may',
    ),
});
export const ReadinessWarningsSchema = z
  .array(ReadinessWarningSchema)
  .describe('About integrations that are live. `GET /api/ready`, which is public, does not have them');

export type ReadinessParts = {
  config: Config;
  /** Null outside development, and where it is not installed. */
  fixture: FixtureCompany | null;
  /** That of requests and work. Its transactions show whether the database writes. */
  db: Db;
  /** One connection of its own. */
  probe: Db;
  worker: Pick<Worker, 'problem'>;
};

/** What the process has met lately, without asking the database. */
export function problemsOf({ db, worker }: Pick<ReadinessParts, 'db' | 'worker'>): OwnProblem[] {
  const { isClosed, refusesWrites } = db.health;
  const own = worker.problem();
  return [
    ...new Set<OwnProblem>([
      ...(isClosed ? (['schema_behind'] as const) : []),
      ...(refusesWrites ? (['database_refuses'] as const) : []),
      ...(own !== null && !isClosed ? [own] : []),
    ]),
  ];
}

/**
 * Probes the database and, if shares are configured, their folder, for at most two seconds. If the database does not
 * respond, families with scopes count as none. Whether it writes is known from the transactions of the process.
 */
export async function readinessOf({ config, fixture, probe, ...parts }: ReadinessParts): Promise<Readiness> {
  const [families, smbMounted] = await Promise.all([
    withinTimeout(once(databaseProbes, probe, () => familiesOf(probe))),
    withinTimeout(mounted(config)),
  ]);
  const { isClosed, refusesWrites } = parts.db.health;
  const dbOk = families !== null && !isClosed && !refusesWrites;
  const problems = problemsOf(parts);
  return {
    status: dbOk ? 'ok' : 'degraded',
    dbOk,
    env: config.SVC_ENV,
    demoMode: config.SVC_DEMO_MODE,
    // An unreachable database explains everything else.
    problems: families === null ? ['database_away'] : problems,
    integrations: integrationModes(config, {
      lingeringScopes: families ?? new Set(),
      built: BUILT,
      smbMounted: smbMounted === true,
      hasFixture: fixture !== null,
    }),
  };
}

/** None in a database that was never migrated. */
async function familiesOf(probe: Db): Promise<ReadonlySet<SourceFamily>> {
  try {
    return await registeredFamilies(probe);
  } catch (error) {
    if (UNKNOWN_HERE.has(sqlState(error) ?? '')) return new Set();
    throw error;
  }
}

const databaseProbes = new Map<Db, Promise<ReadonlySet<SourceFamily>>>();
const folderProbes = new Map<string, Promise<boolean>>();

/** Whether every selected share is mounted. */
function mounted({ SVC_SMB_ENABLED, SVC_SMB_ROOT: root, SVC_SMB_SHARES: shares }: Config): Promise<boolean> {
  if (!SVC_SMB_ENABLED || root === undefined) return Promise.resolve(false);
  return once(folderProbes, root, async () => {
    const found = await Promise.all(shares.map((share) => stat(path.join(root, share))));
    return found.every((stats) => stats.isDirectory());
  });
}

/**
 * Shares a running probe between callers. If a server or a mount does not respond, only one connection or thread
 * waits for it.
 */
function once<K, T>(underWay: Map<K, Promise<T>>, key: K, probe: () => Promise<T>): Promise<T> {
  const running = underWay.get(key) ?? probe().finally(() => underWay.delete(key));
  underWay.set(key, running);
  return running;
}

/** Null if the probe fails or takes too long. */
async function withinTimeout<T>(probe: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, PROBE_TIMEOUT_MS, null);
  });
  const answer = await Promise.race([probe.catch(() => null), timeout]);
  clearTimeout(timer);
  return answer;
}
