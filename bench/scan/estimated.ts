import type { SourceFamily } from '../../core/connectors/connector.ts';
import { scanFamily } from '../../infra/local/first-scan.ts';
import type { SignInAs } from '../../infra/local/sign-in-as.ts';
import { renderTable } from '../../infra/local/table.ts';

const FIGURES = ['items', 'bytes', 'calls', 'minutes'] as const;
type Range = { low: number | null; high: number | null };

/** What scans of all scopes of a family were estimated to take, and what they took. */
export type Estimated = Record<(typeof FIGURES)[number], Range & { took: number }>;

/** Estimates a scan of each scope of a family, and scans them, one after the other. */
export async function scanEstimated(
  signInAs: SignInAs,
  family: SourceFamily,
  scanned: (scan: () => Promise<void>) => Promise<void>,
): Promise<Estimated> {
  const client = await signInAs('platform_admin');
  await client.post('/api/sources/connect', { family });
  const { items: sources } = await client.get<{ items: { scopeId: string; family: string }[] }>(
    '/api/sources',
  );
  const scopes = sources.filter((source) => source.family === family);
  const estimates = await Promise.all(
    scopes.map(async ({ scopeId }) => {
      const body = { scopeId, kind: 'inventory' };
      return (await client.post<Record<string, Range>>('/api/scans/estimate', body)).body;
    }),
  );
  const ids: string[] = [];
  await scanned(async () => {
    const { campaignIds } = await scanFamily(signInAs, family, () => undefined, new AbortController().signal);
    ids.push(...campaignIds);
  });
  const took = { items: 0, bytes: 0, calls: 0, minutes: 0 };
  for (const id of ids) {
    const scan = await client.get<Scan>(`/api/scans/${id}`);
    took.items += scan.stageOutcomes
      .filter(({ stage }) => stage === 'observe')
      .reduce((sum, { count }) => sum + count, 0);
    took.bytes += scan.used.bytesRead;
    took.calls += scan.used.calls;
    took.minutes += (Date.parse(scan.finishedAt) - Date.parse(scan.startedAt)) / 60_000;
  }
  const sum = (figure: string, bound: keyof Range) =>
    estimates.reduce<number | null>((total, estimate) => {
      const value = estimate[figure]?.[bound] ?? null;
      return total === null || value === null ? null : Number((total + value).toFixed(2));
    }, 0);
  const of = (figure: keyof typeof took) => ({
    low: sum(figure, 'low'),
    high: sum(figure, 'high'),
    took: Number(took[figure].toFixed(2)),
  });
  return { items: of('items'), bytes: of('bytes'), calls: of('calls'), minutes: of('minutes') };
}

type Scan = {
  startedAt: string;
  finishedAt: string;
  used: { calls: number; bytesRead: number };
  stageOutcomes: { stage: string; count: number }[];
};

/** Minutes are those of all scopes together: they are scanned at the same time, each waits for the others. */
export const estimatesTable = (scans: Readonly<Record<string, Estimated>>): string =>
  renderTable(
    ['Estimated, and taken', ...FIGURES],
    Object.entries(scans).map(([name, estimated]) => [
      name,
      ...FIGURES.map((figure) => {
        const { low, high, took } = estimated[figure];
        return `${low ?? 'unknown'} to ${high ?? 'unknown'}, ${took}`;
      }),
    ]),
  );
