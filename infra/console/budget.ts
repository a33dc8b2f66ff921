import type { Manifest } from 'vite';

/** Bytes of scripts and styles, as gzip. */
export type Weights = { entry: number; views: ReadonlyMap<string, number> };

const KB = 1_000;
/** What one may wait for on a slow line. Without a budget a console grows to megabytes. */
const MAX_ENTRY = 120 * KB;
const MAX_VIEW = 190 * KB;

/** A view is a module of its own that is loaded when it is shown. Its weight includes the entry. */
export function weightsOf(manifest: Manifest, sizes: ReadonlyMap<string, number>): Weights {
  const files = (key: string, seen = new Set<string>()): Set<string> => {
    const chunk = manifest[key];
    if (chunk === undefined || seen.has(chunk.file)) return seen;
    seen.add(chunk.file);
    for (const css of chunk.css ?? []) seen.add(css);
    for (const imported of chunk.imports ?? []) files(imported, seen);
    return seen;
  };
  const weigh = (names: ReadonlySet<string>) =>
    [...names].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
  const [entry] = Object.keys(manifest).filter((key) => manifest[key]?.isEntry === true);
  if (entry === undefined) throw new Error('The console has no entry.');
  const ofEntry = files(entry);
  const views = Object.keys(manifest)
    .filter((key) => manifest[key]?.isDynamicEntry === true)
    .map((key): [string, number] => [key, weigh(new Set([...ofEntry, ...files(key)]))]);
  return { entry: weigh(ofEntry), views: new Map(views) };
}

/** A sentence for each part that is too heavy. */
export function overBudget({ entry, views }: Weights): string[] {
  const said = (name: string, size: number, most: number) =>
    size > most ? [`${name} weighs ${inKb(size)} as gzip, and may weigh ${inKb(most)}.`] : [];
  return [
    ...said('The entry of the console', entry, MAX_ENTRY),
    ...[...views].flatMap(([name, size]) => said(`The view ${name}`, size, MAX_VIEW)),
  ];
}

export const inKb = (size: number): string => `${(size / KB).toFixed(1)} kB`;
