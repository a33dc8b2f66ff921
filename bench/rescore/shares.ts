import type { Profiler } from 'node:inspector';

/** What a worker spends its processor time on, by the place of the function that runs. The first that fits counts. */
const KINDS: readonly [kind: string, is: (frame: { functionName: string; url: string }) => boolean][] = [
  ['garbage collection', ({ functionName }) => functionName === '(garbage collector)'],
  ['reading JSON', ({ functionName }) => functionName === 'parseJson'],
  ['writing JSON', ({ functionName, url }) => functionName === 'json' && url.includes('/core/db/sql.')],
  ['inference', ({ url }) => /\/core\/(inference|signals)\//.test(url)],
  ['risk', ({ url }) => url.includes('/core/findings/')],
  ['database client', ({ url }) => /\/node_modules\/pg|\/core\/db\//.test(url)],
  ['rest of the service', ({ url }) => url.includes('/core/')],
  ['Node', () => true],
];

/** The share of each kind in the busy time of a profile, with all kinds. */
export function sharesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Record<string, number> {
  const kindOf = new Map(
    nodes.map(({ id, callFrame }) => [
      id,
      callFrame.functionName === '(idle)' ? null : (KINDS.find(([, is]) => is(callFrame))?.[0] ?? null),
    ]),
  );
  const spent = new Map(KINDS.map(([kind]) => [kind, 0]));
  samples.forEach((id, at) => {
    const kind = kindOf.get(id) ?? null;
    if (kind !== null) spent.set(kind, (spent.get(kind) ?? 0) + (timeDeltas[at] ?? 0));
  });
  const all = Math.max(
    1,
    [...spent.values()].reduce((sum, each) => sum + each, 0),
  );
  return Object.fromEntries([...spent].map(([kind, each]) => [kind, each / all]));
}
