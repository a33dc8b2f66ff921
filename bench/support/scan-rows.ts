import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { withClient } from '../../core/db/client.ts';
import { sql } from '../../core/db/sql.ts';
import { renderTable } from '../../infra/local/table.ts';
import type { ScanAsked, Scanned } from './scan-service.ts';

/** Since the last time that they were taken. */
export type FakeTally = {
  /** That came over the line. */
  requests: number;
  /** Those, with each call of a batch instead of the batch. */
  calls: Record<string, number>;
  /** Of the bodies of answers. Null if the fake does not count them. */
  bytes: number | null;
};

export type ScanRow = { what: string; items: number } & Scanned & FakeTally;

export async function ask<T>(child: ChildProcess, message: object | string): Promise<T> {
  const answered = new AbortController();
  const ended = once(child, 'exit', { signal: answered.signal }).then(() => {
    throw new Error('A process of the bench ended before it answered');
  });
  ended.catch(() => undefined);
  child.send(message);
  const [answer] = await Promise.race([once(child, 'message', { signal: answered.signal }), ended]);
  answered.abort();
  return answer as T;
}

/** Scans in one process, and takes what the other, a fake, has counted for it. */
export const scansOf =
  (service: ChildProcess, fake: ChildProcess) =>
  async (what: string, items: number, asked: ScanAsked): Promise<ScanRow> => {
    await ask(fake, 'take');
    const scanned = await ask<Scanned>(service, asked);
    if (scanned.dead > 0) throw new Error('Units of the scan have died');
    return { what, items, ...scanned, ...(await ask<FakeTally>(fake, 'take')) };
  };

/** Items from `sample` on count as processed, so that the next delta takes up the others alone. */
export const keepOnly = (adminUrl: string, sample: number): Promise<void> =>
  withClient(adminUrl, async (client) => {
    const processed = sql`
      update assets set stage_keys = jsonb_build_object('observe', source_version, 'permissions', source_version)
       where substring(name from '[0-9]+')::integer >= ${sample}`;
    await client.query(processed.text, [...processed.values]);
    await client.query('vacuum analyze assets');
  });

const per1000 = (value: number, { items }: ScanRow, digits = 1) =>
  Number(((value * 1_000) / items).toFixed(digits));
const callsOf = ({ calls }: ScanRow) => Object.values(calls).reduce((sum, count) => sum + count, 0);

export const tableOf = (rows: readonly ScanRow[]): string =>
  renderTable(
    [
      'For 1,000 items',
      'items',
      'requests',
      'calls',
      'MB',
      'seconds',
      'peak memory so far, MB',
      'calls by kind',
    ],
    rows.map((row) => [
      row.what,
      row.items,
      per1000(row.requests, row),
      per1000(callsOf(row), row),
      row.bytes === null ? '–' : per1000(row.bytes / 1e6, row, 2),
      per1000(row.seconds, row, 2),
      row.peakMb,
      Object.entries(row.calls)
        .map(([call, count]) => `${call} ${count}`)
        .join(', '),
    ]),
  );
