import type { ChildProcess } from 'node:child_process';
import { createPool } from '../../core/db/pool.ts';
import { applyLoad, type LoadResult, latenciesOf, summaryOf } from '../support/load.ts';
import { callerOf, callOf, type Measured, measuredEndpoints, signInAll } from './endpoints.ts';
import { PLAIN, PLAIN_TIMEOUT_MS, plainLatencies } from './plain.ts';
import { type Plan, plansOf, statementsOf } from './plans.ts';

export type Figures = {
  name: string;
  /** Callers who pause before they ask again. */
  ours: LoadResult;
  /** Those of these callers who see the whole tenant. Null if none of them calls. */
  seeingAll: LoadResult | null;
  /** Callers who ask again at once, so that all processors are busy. */
  saturated: LoadResult;
  /** Null if there is no plain statement to compare with. */
  plain: LoadResult | null;
  plans: { principalId: string; path: string; plans: Plan[] }[];
};

/** `ways` is the number of different calls of a caller whose plans are kept. */
type Effort = { seconds: number; callers: number; ways: number };

type Service = { url: string; child: ChildProcess };

/** The pause after an answer in milliseconds. People look at a list of 200 rows for longer. */
const PAUSE_MS = 2000;
/** The plain side gets a quarter of the time. It is slow enough to be measured with a few calls. */
const PLAIN_SHARE = 0.25;
/** Readers whose plans are kept: an owner of large domains, one of a small domain, and one who sees everything. */
const PLANNED = [0, 1, -1];

/**
 * Measures each endpoint with so many callers, with and without pauses, and the plain statement with as many callers and
 * connections without pauses. A warm-up round does not count.
 * @param processes processes of the service, among which callers are distributed. The first one reports its
 * statements.
 */
export async function measure(
  processes: readonly [Service, ...Service[]],
  adminUrl: string,
  { seconds, callers: count, ways }: Effort,
  log: (line: string) => void,
): Promise<Figures[]> {
  const urls = processes.map(({ url }) => url);
  const [service] = processes;
  const callers = await signInAll(service.url, adminUrl);
  const db = createPool(`${adminUrl}?options=-c%20statement_timeout%3D${PLAIN_TIMEOUT_MS}`, {
    max: count,
    applicationName: 'plain',
  });
  const figures: Figures[] = [];
  try {
    for (const measured of measuredEndpoints(callers)) {
      const { name } = measured;
      const next = callOf(measured);
      await applyLoad(urls, next, count, Math.min(2, seconds));
      const begun = performance.now();
      const took = await latenciesOf(urls, next, count, seconds, PAUSE_MS);
      const elapsed = performance.now() - begun;
      const saturated = await applyLoad(urls, next, count, seconds);
      const tookSeeingAll = took.filter((_, connection) => callerOf(measured, connection).domainIds === null);
      const text = PLAIN[name];
      let plain: LoadResult | null = null;
      if (text !== undefined) {
        const readers = Array.from(
          { length: count },
          (_, connection) => callerOf(measured, connection).domainIds,
        );
        const started = performance.now();
        const latencies = await plainLatencies(db, text, readers, seconds * PLAIN_SHARE);
        plain = summaryOf(latencies, performance.now() - started);
      }
      const ours = summaryOf(took.flat(), elapsed);
      log(`${name}: p95 ${ours.p95.toFixed(0)} ms, without pauses ${saturated.p95.toFixed(0)} ms`);
      figures.push({
        name,
        ours,
        seeingAll: tookSeeingAll.length === 0 ? null : summaryOf(tookSeeingAll.flat(), elapsed),
        saturated,
        plain,
        plans: await plansOfEach(service, adminUrl, measured, ways),
      });
    }
  } finally {
    await db.close();
  }
  return figures;
}

async function plansOfEach(
  service: Service,
  adminUrl: string,
  measured: Measured,
  ways: number,
): Promise<Figures['plans']> {
  const plans: Figures['plans'] = [];
  for (const caller of PLANNED.flatMap((place) => measured.callers.at(place) ?? [])) {
    const paths = new Set(Array.from({ length: ways }, (_, nth) => measured.pathOf(caller, nth)));
    for (const path of paths) {
      const statements = await statementsOf(service, { path, cookie: caller.cookie });
      plans.push({ principalId: caller.principalId, path, plans: await plansOf(adminUrl, statements) });
    }
  }
  return plans;
}
