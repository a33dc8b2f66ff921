import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

/** Places that a process remembers. Errors come from few places, again and again. */
const MAX_PLACES = 1_000;
const places = new Map<string, string | null>();
/** A map takes some megabytes and tens of milliseconds. It serves the frames of one stack, and may be forgotten then. */
const maps = new Map<string, WeakRef<SourceMap>>();

/**
 * Where a place of a built file is in the sources, as `file:line`. Null if there is no such file, or no source of it. Maps
 * are read when an error is logged: `--enable-source-maps` would read them all at the start.
 * @param line and column count from 1
 */
export function sourcePlace(file: string, line: number, column: number): string | null {
  const key = `${file}:${line}:${column}`;
  const known = places.get(key);
  if (known !== undefined) return known;
  const origin = mapOf(`${file}.map`)?.findOrigin(line, column);
  const place = origin && 'fileName' in origin ? `${origin.fileName}:${origin.lineNumber}` : null;
  if (places.size < MAX_PLACES) places.set(key, place);
  return place;
}

function mapOf(file: string): SourceMap | null {
  const kept = maps.get(file)?.deref();
  if (kept !== undefined) return kept;
  if (!existsSync(file)) return null;
  const map = new SourceMap(JSON.parse(readFileSync(file, 'utf8')));
  maps.set(file, new WeakRef(map));
  return map;
}
