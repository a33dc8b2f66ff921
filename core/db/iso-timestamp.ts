import { types } from 'pg';

const parseTimestamp = types.getTypeParser(types.builtins.TIMESTAMPTZ);
/** The text format of a server whose time zone is UTC, with up to six decimals. */
const IN_UTC = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/;

/**
 * Converts the text of a `timestamptz` to the format of `Date.toISOString`, and cuts it off at milliseconds. For long
 * lists, where a conversion through `Date` takes five times as long.
 */
export function isoTimestamp(text: string): string {
  const [, day, time, fraction = ''] = IN_UTC.exec(text) ?? [];
  if (day === undefined) return (parseTimestamp(text) as Date).toISOString();
  return `${day}T${time}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
}
