import { expect, test } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { migrationsFolder, readMigrations } from '../../core/db/migrate.ts';
import { createTestDatabase } from '../support/database.ts';
import { dumpSchema } from '../support/schema-dump.ts';

test('functions and triggers are defined once, by files that can run again', async () => {
  const all = await readMigrations(migrationsFolder());
  const files = all.filter(({ isRepeatable }) => isRepeatable);
  const database = await createTestDatabase();
  try {
    const made = await withClient(database.adminUrl, async (admin) => {
      const before = await dumpSchema(admin);
      await admin.query('begin; set local search_path to public');
      for (const { text } of files) await admin.query(text);
      expect(await dumpSchema(admin)).toBe(before);
      return before;
    });
    const text = files.map((each) => each.text).join('\n');
    expect(namesOf(text, 'trigger')).toEqual(namesOf(made, 'trigger'));
    // Those that stored values depend on are in the numbered files.
    const numbered = namesOf(all.map((each) => (each.isRepeatable ? '' : each.text)).join('\n'), 'function');
    expect(namesOf(text, 'function')).toEqual(
      namesOf(made, 'function').filter((name) => !numbered.includes(name)),
    );
  } finally {
    await database.drop();
  }
});

const namesOf = (text: string, kind: string) =>
  [...text.matchAll(new RegExp(`^create (?:or replace |constraint )*${kind} (?:public\\.)?(\\w+)`, 'gim'))]
    .map(([, name]) => name)
    .sort();
