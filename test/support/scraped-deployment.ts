import { loadConfig } from '../../core/config/config.ts';
import { withEngineTx } from '../../core/db/tx.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import type { CounterName } from '../../core/observability/metrics.ts';
import { compose, type Runtime } from '../../core/runtime.ts';
import { leaseUnits } from '../../core/work/lease.sql.ts';
import { recordHeartbeat, registerScanner } from '../../core/work/scanners.sql.ts';
import { settleUnits } from '../../core/work/settle.sql.ts';
import { freePort } from '../../infra/local/free-port.ts';
import { makeCampaign, makeEnsemble, makeTenant } from './campaign.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { parseOpenMetrics } from './openmetrics.ts';
import type { Scrape } from './promql.ts';

export const MINUTE = 60_000;
const TENANT = 'acme' as TenantId;
const TARGET = { job: 'governance', instance: '10.0.0.1:9464' };

/** A deployment of one process, whose clock moves by a minute with each scrape. */
export class Deployment {
  readonly scrapes: Scrape[] = [];
  readonly database: TestDatabase;
  now: number;
  #runtime: Runtime | undefined;
  #port: number | null = null;

  constructor(database: TestDatabase, now: number) {
    this.database = database;
    this.now = now;
  }

  get runtime(): Runtime {
    if (this.#runtime === undefined) throw new Error('The process does not run.');
    return this.#runtime;
  }

  /** Starts the process, or another one in its place. */
  async start(settings: Record<string, string> = {}): Promise<void> {
    await this.stop();
    const config = loadConfig({
      SVC_ENV: 'development',
      SVC_AUTH_MODE: 'dev',
      SVC_DATABASE_URL: this.database.url,
      SVC_METRICS_PORT: String(await freePort(0)),
      ...settings,
    });
    this.#runtime = await compose(config, () => this.now, { write: () => undefined });
    this.#port = (await this.#runtime.metricsServer?.start()) ?? null;
  }

  async stop(): Promise<void> {
    await this.#runtime?.close();
    this.#runtime = undefined;
  }

  /** Scrapes once a minute, as Prometheus does. Each minute begins with `act`. */
  async run(minutes: number, act: (minute: number) => unknown): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) {
      await act(minute);
      this.scrapes.push({ at: this.now / 1000, target: TARGET, samples: await this.#scrape() });
      this.now += MINUTE;
    }
  }

  async #scrape(): Promise<Scrape['samples']> {
    if (this.#runtime === undefined) return null;
    const response = await fetch(`http://127.0.0.1:${this.#port}/metrics`);
    return parseOpenMetrics(await response.text()).samples;
  }

  count(name: CounterName, times = 1): void {
    for (let i = 0; i < times; i++) this.runtime.metrics.count(name);
  }

  register(scannerId: string): Promise<void> {
    const scanner = { scannerId, displayName: 'a', host: 'a', version: '1' };
    return withEngineTx(this.database.db, (tx) => registerScanner(tx, scanner, this.now));
  }

  beat(): Promise<number | null> {
    return withEngineTx(this.database.db, (tx) =>
      recordHeartbeat(tx, 'scanner', { processed: 0, failed: 0 }, this.now),
    );
  }

  /** What happens each minute where all is well. */
  async live(): Promise<void> {
    await this.beat();
    this.count('http_answer:2xx', 20);
    this.count('http_answer:4xx');
  }

  /** Ends all due units as a worker does that cannot do them. */
  kill(): Promise<unknown> {
    return withEngineTx(this.database.db, async (tx) => {
      const units = await leaseUnits(tx, 'scanner:boot', { units: 20, orphans: 0 }, this.now);
      const dead = units.map(({ unitId, attempt }) => ({
        ...({
          unitId,
          attempt,
          result: 'dead',
          runAfter: null,
          retryClass: 'policy_denied',
          stages: {},
        } as const),
        ...{ safeDiagnostic: 'share_denied', deadLetterId: `dlq_${unitId}` },
      }));
      return settleUnits(tx, 'scanner:boot', dead, this.now);
    });
  }
}

export async function deploy(now: number): Promise<Deployment> {
  const deployment = new Deployment(await createTestDatabase({ max: 3 }), now);
  await deployment.start();
  await deployment.register('scanner');
  return deployment;
}

export const enqueue = async ({ database, now }: Deployment, units: number) => {
  const payload = (n: number) => ({ assetId: `ast_${n}` });
  const scopeId = await scopeOf({ database, now });
  await makeEnsemble(database, TENANT, now);
  await makeCampaign(database.db, TENANT, scopeId, units, now, payload);
};

/** The only scope, of a tenant that is new. */
export const scopeOf = ({ database, now }: Pick<Deployment, 'database' | 'now'>) =>
  makeTenant(database, TENANT, now);
