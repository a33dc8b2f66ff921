import { types } from 'pg';

const parseTimestamp = types.getTypeParser(types.builtins.TIMESTAMPTZ);
/** As a server writes it whose clock is UTC, down to microseconds. */
const IN_UTC = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/;

/**
 * A `timestamptz` that was read as text, in the form of `Date.toISOString`, what is beyond milliseconds cut off. In long
 * lists, where by way of a Date it takes five times as long.
 */
export function isoTimestamp(text: string): string {
  const [, day, time, fraction = ''] = IN_UTC.exec(text) ?? [];
  if (day === undefined) return (parseTimestamp(text) as Date).toISOString();
  return `${day}T${time}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
}
