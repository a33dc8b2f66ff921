import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config.ts';
import type { SourceFamily } from '../connectors/connector.ts';
import type { Db } from '../db/tx.ts';
import {
  type IntegrationMode,
  type IntegrationName,
  integrationModes,
} from '../integrations/integrations.ts';
import { registeredFamilies } from './readiness-families.sql.ts';

/** What this release implements against the real thing. */
const BUILT: ReadonlySet<IntegrationName> = new Set(['aiProvider', 'idpSignIn', 'smbConnector']);

/** A probe that has not answered by now counts as failed, in milliseconds. */
const PROBE_TIMEOUT_MS = 2_000;

export type Readiness = {
  status: 'ok' | 'degraded';
  dbOk: boolean;
  env: Config['SVC_ENV'];
  demoMode: boolean;
  integrations: Record<IntegrationName, IntegrationMode>;
};

/**
 * Asks the database and, where shares are configured, their folder; neither for longer than two seconds. While the
 * database does not answer, what it would tell of lingering scopes is unknown and taken as none.
 */
export async function readinessOf({ config, db }: { config: Config; db: Db }): Promise<Readiness> {
  const [families, smbMounted] = await Promise.all([
    withinTimeout(once(databaseProbes, db, () => registeredFamilies(db))),
    withinTimeout(mounted(config)),
  ]);
  return {
    status: families === null ? 'degraded' : 'ok',
    dbOk: families !== null,
    env: config.SVC_ENV,
    demoMode: config.SVC_DEMO_MODE,
    integrations: integrationModes(config, {
      lingeringScopes: families ?? new Set(),
      built: BUILT,
      smbMounted: smbMounted === true,
    }),
  };
}

const databaseProbes = new Map<Db, Promise<ReadonlySet<SourceFamily>>>();
const folderProbes = new Map<string, Promise<boolean>>();

/** Whether every selected share is there. */
function mounted({ SVC_SMB_ENABLED, SVC_SMB_ROOT: root, SVC_SMB_SHARES: shares }: Config): Promise<boolean> {
  if (!SVC_SMB_ENABLED || root === undefined) return Promise.resolve(false);
  return once(folderProbes, root, async () => {
    const found = await Promise.all(shares.map((share) => stat(path.join(root, share))));
    return found.every((stats) => stats.isDirectory());
  });
}

/** Shares a probe that is under way: a server or a mount that hangs holds one connection or thread, however often it is asked. */
function once<K, T>(underWay: Map<K, Promise<T>>, key: K, probe: () => Promise<T>): Promise<T> {
  const running = underWay.get(key) ?? probe().finally(() => underWay.delete(key));
  underWay.set(key, running);
  return running;
}

/** Null when the probe fails or takes too long. */
async function withinTimeout<T>(probe: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, PROBE_TIMEOUT_MS, null);
  });
  const answer = await Promise.race([probe.catch(() => null), timeout]);
  clearTimeout(timer);
  return answer;
}
