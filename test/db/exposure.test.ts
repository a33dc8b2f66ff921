import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Grant } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import { isExposedTo } from '../../core/findings/exposure.sql.ts';
import { EXPOSURES, exposureOf } from '../../core/findings/exposure.ts';
import { BROAD_GROUPS } from '../../core/kernel/broad-groups.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const principal = fc.oneof(
  fc.constantFrom(...BROAD_GROUPS),
  fc.constantFrom(
    'CORP\\Domain Users',
    'A\\B\\Everyone',
    ' Everyone ',
    'EVERYONE',
    'DOMÄNEN-BENUTZER',
    'Finance team',
    '\\',
  ),
  fc.string({ maxLength: 12 }).filter((text) => !text.includes('\0')),
);
const grant: fc.Arbitrary<Grant> = fc.record({
  principal,
  principalKind: fc.constantFrom('user', 'group', 'link', 'organization', 'anyone'),
  external: fc.boolean(),
  role: fc.constant('read'),
  inherited: fc.boolean(),
});

test('the exposure in SQL is that of each grant in code', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(grant, { maxLength: 4 }), { minLength: 20, maxLength: 40 }),
      async (assets) => {
        for (const exposure of EXPOSURES) {
          const rows = await database.inspect<{ exposed: boolean }>(sql`
          select ${isExposedTo([exposure])} as exposed
            from jsonb_array_elements(${sql.json(assets)}::jsonb) with ordinality as a (grants, n) order by n`);
          expect(rows.map(({ exposed }) => exposed)).toEqual(
            assets.map((grants) => grants.some((each) => exposureOf([each]) === exposure)),
          );
        }
      },
    ),
    { numRuns: propertyRuns(20) },
  );
});
