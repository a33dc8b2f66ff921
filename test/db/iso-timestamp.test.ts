import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { isoTimestamp } from '../../core/db/iso-timestamp.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

const FIRST_MS = Date.parse('0001-01-03T00:00:00Z');
const LAST_MS = Date.parse('9999-12-29T00:00:00Z');

test.each(['UTC', 'Asia/Kolkata', 'America/St_Johns', 'Europe/Paris'])(
  'what a server in %s writes is told as a Date of the same moment',
  async (zone) => {
    const moments = fc.sample(fc.tuple(fc.integer({ min: FIRST_MS, max: LAST_MS }), fc.nat(999)), 500);
    const texts = moments.map(([ms, micros]) =>
      new Date(ms).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`),
    );
    const shown = await withClient(database.url, async (client) => {
      await client.query(`set timezone = '${zone}'`);
      const { rows } = await client.query<{ shown: string }>(
        'select t::timestamptz::text as shown from unnest($1::text[]) with ordinality as u (t, n) order by n',
        [texts],
      );
      return rows.map((row) => row.shown);
    });
    expect(shown.map(isoTimestamp)).toEqual(moments.map(([ms]) => new Date(ms).toISOString()));
  },
);
