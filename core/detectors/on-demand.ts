import type { Detector } from './detector.ts';

/**
 * The built-in detectors, imported when they are first asked for. They are a third of what a process would otherwise
 * load before it can answer, and few requests need them.
 */
export const builtInDetectors = async (): Promise<readonly Detector[]> =>
  (await import('./index.ts')).DETECTORS;

/** Titles of detectors by id. */
export type DetectorTitles = ReadonlyMap<string, string>;

export const builtInTitles = async (): Promise<DetectorTitles> =>
  new Map((await builtInDetectors()).map(({ id, title }) => [id, title]));
