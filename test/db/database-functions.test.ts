import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { expandIncludes, includedTexts, notExpanded } from '../../core/db/includes.ts';
import { migrationsFolder, readMigrations } from '../../core/db/migrate.ts';
import { createTestDatabase } from '../support/database.ts';
import { dumpSchema } from '../support/schema-dump.ts';

const FOLDER = path.join(migrationsFolder(), 'functions');

/** The text of each file by its name. */
const files = new Map<string, string>();

beforeAll(async () => {
  for (const name of (await readdir(FOLDER)).sort()) {
    files.set(`functions/${name}`, (await readFile(path.join(FOLDER, name), 'utf8')).trimEnd());
  }
});

test('the files of functions define what the migrations make, and nothing else', async () => {
  const database = await createTestDatabase();
  try {
    const [before, after] = await withClient(database.adminUrl, async (admin) => {
      const made = await dumpSchema(admin);
      await admin.query('begin; set local search_path to public');
      for (const text of files.values()) await admin.query(text);
      return [made, await dumpSchema(admin)];
    });
    expect(after).toBe(before);
    const namesOf = (text: string, kind: string) =>
      [
        ...text.matchAll(
          new RegExp(`^create (?:or replace |constraint )*${kind} (?:public\\.)?(\\w+)`, 'gim'),
        ),
      ]
        .map(([, name]) => name)
        .sort();
    const all = [...files.values()].join('\n');
    for (const kind of ['function', 'procedure', 'trigger']) {
      expect(namesOf(all, kind), kind).toEqual(namesOf(before, kind));
    }
  } finally {
    await database.drop();
  }
});

test('the newest migration that includes a file holds its present text', async () => {
  const migrations = await readMigrations(migrationsFolder());
  const newest = new Map(migrations.flatMap(({ text }) => [...includedTexts(text)]));
  expect(newest.size).toBeGreaterThan(0);
  for (const [name, text] of newest) expect(text, name).toBe(files.get(name));
});

test('expanding twice changes nothing, and holds the newer text', async () => {
  const line = fc.stringMatching(/^[a-z ]{0,9}$/);
  const lines = fc.array(line, { maxLength: 4 }).map((each) => each.join('\n').trimEnd());
  await fc.assert(
    fc.asyncProperty(lines, lines, lines, lines, async (before, after, first, second) => {
      const migration = `${before}\n--! include functions/a.sql\n--! include functions/b.sql\n${after}`;
      expect(notExpanded(migration)).toEqual(['functions/a.sql', 'functions/b.sql']);
      const expanded = await expandIncludes(migration, async () => first);
      expect(notExpanded(expanded)).toEqual([]);
      expect(await expandIncludes(expanded, async () => first)).toBe(expanded);
      const again = await expandIncludes(expanded, async () => second);
      expect([...includedTexts(again).values()]).toEqual([second, second]);
      expect(again).toBe(await expandIncludes(migration, async () => second));
    }),
  );
});
