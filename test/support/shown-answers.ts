import type { Endpoint } from '../../core/http/declaration.ts';
import type { Answer } from './client.ts';
import type { Persona } from './leak-worlds.ts';
import type { Sample } from './request-samples.ts';

/** What a persona was shown. */
export type Shown = { persona: Persona; endpoint: Endpoint; sample: Sample; text: string };

export const ask = (persona: Persona, { method, target, body }: Sample): Promise<Answer> =>
  persona.request(method, target, body === undefined ? {} : { body });

/** Describes who sent which request. */
export const described = ({ principalId }: Persona, { method, target, body }: Sample): string =>
  `${principalId} ${method} ${target} ${JSON.stringify(body) ?? ''}`;

/** The differences between two sets of answers, each with the text around the first difference. */
export const differences = (one: ReadonlyMap<string, Shown>, other: ReadonlyMap<string, Shown>): string[] =>
  [...new Set([...one.keys(), ...other.keys()])].flatMap((asked) => {
    const [a = '', b = ''] = [one, other].map((shown) => comparable(shown.get(asked)));
    if (a === b) return [];
    return [`${asked}: ${firstDifference(a, b)}`];
  });

/** The text around the first difference. */
export function firstDifference(a: string, b: string): string {
  const at = Math.max(0, [...a].findIndex((character, index) => character !== b[index]) - 60);
  return `${a.slice(at, at + 160)} ≠ ${b.slice(at, at + 160)}`;
}

/** What tells of the process and not of a tenant. */
const OF_THE_PROCESS = [
  /"process":\{[^}]*\},/,
  /"counters":\{[^}]*\},"histograms":\[[^\]]*\],/,
  /,"slowestStatements":.*$/s,
];

/** The answer without values of the process, and without those that change over time: new ids, and hashes over them. */
function comparable(shown: Shown | undefined): string {
  if (shown === undefined) return 'not asked';
  const timeless = shown.text
    .replace(/_[0-9a-hjkmnp-tv-z]{26}\b/g, '_new')
    .replace(/\b(?:[0-9a-f]{64}|[\w-]{86})\b/g, 'hash')
    .replace(/"durationMs":\d+/g, '"durationMs":0');
  return withoutProcess(timeless);
}

/** The answer without values of the process. */
export const withoutProcess = (text: string): string =>
  OF_THE_PROCESS.reduce((rest, part) => rest.replace(part, ''), text);
