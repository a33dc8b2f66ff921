import { readFile, writeFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { createTestDatabase } from '../support/database.ts';
import { dumpSchema } from '../support/schema-dump.ts';

const FILE = new URL('../schema.sql', import.meta.url);

test('the migrations make test/schema.sql; UPDATE_SCHEMA=1 rewrites it', async () => {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const schema = await withClient(database.adminUrl, dumpSchema);
  if (process.env.UPDATE_SCHEMA === '1') await writeFile(FILE, schema);
  expect(schema).toBe(await readFile(FILE, 'utf8'));
});
