import { recordDue, runSchedules } from '../../core/campaigns/run-schedules.ts';
import { loadConfig } from '../../core/config/config.ts';
import { createPool } from '../../core/db/pool.ts';
import type { FixtureCompany } from '../../core/integrations/fixture-company.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { fixtureCompany } from '../../infra/local/fixture/fixture-company.ts';
import { noGraph } from './graph/no-graph.ts';

/**
 * A process that looks once for what is due by schedules: `node schedule-process.ts URL NOW MODE TENANT`. It prints how many
 * scans it started.
 * MODE `whole`. `recorded`: it kills itself when the runs are recorded and none has started. `taken`: it kills itself in the
 * transaction that starts a scan, after it has taken the run.
 */
const [url = '', now = '0', mode = 'whole', tenant = ''] = process.argv.slice(2);
const clock = () => Number(now);

const die = (): never => {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('It is dead');
};
/** Asked for by `startScan`, when the run is taken and the scan is not inserted. */
const deadly: FixtureCompany = { ...fixtureCompany, connector: die };

const parts = {
  config: loadConfig({ SVC_ENV: 'development', SVC_DATABASE_URL: url }),
  db: createPool(url, { max: 4, applicationName: 'schedule-process' }),
  clock,
  graph: noGraph,
  fixture: mode === 'taken' ? deadly : fixtureCompany,
  log: createLogger({ level: 'error', clock }),
  doorbell: null,
};
if (mode === 'recorded') {
  await recordDue(parts, tenant as TenantId);
  die();
}
const started = await runSchedules(parts, new AbortController().signal);
process.stdout.write(`${started}\n`);
process.exit(0);
