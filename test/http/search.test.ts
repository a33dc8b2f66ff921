import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, inOther, OTHER, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type List<T> = { items: T[]; truncated: boolean };
type Row = { assetId: string; name: string };

const SITE = 'site-finance';
const FILES = {
  'Orchard.txt': 'The kumquats ripen late. Their grower is Ottoline Quennell, o.quennell@trees.example.',
  'Cellar.txt': 'Kumquat liqueur, and nothing near it.',
  'Salt AND pepper.txt': 'Seasoning.',
  'Salt pepper.txt': 'Seasoning.',
  'Salt.txt': 'Seasoning.',
  'Card.txt': 'Paid with the credit card 4539 1488 0343 6467.',
};

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let auditor: SignedIn;
let finance: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10, itemsPerScope: 3 });
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
  auditor = await service.signInAs(PERSONA.auditor);
  finance = await service.signInAs(PERSONA.financeOwner);
  await admin.post('/api/sources/connect', {});
  for (const [name, content] of Object.entries(FILES)) {
    const added = await admin.post('/api/dev/fixture/mutate', {
      action: 'add',
      scopeExternalId: SITE,
      name,
      content,
    });
    expect(added.status).toBe(200);
  }
  await scan();
  for (const [name, domain, type] of [
    ['Orchard.txt', 'dom_finance', 'ift_invoices'],
    ['Cellar.txt', 'dom_human_resources', 'ift_payroll'],
  ] as const) {
    await database.inspect(sql`
      insert into candidates (tenant_id, candidate_id, asset_id, scope_id, domain_id, information_type_id, confidence, band,
                              created_at, updated_at)
      select ${DEV}, 'cnd_' || asset_id, asset_id, '', ${domain}, ${type}, 0.9, 'high', now(), now()
        from assets where tenant_id = ${DEV} and name = ${name}`);
  }
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

async function scan() {
  const { body } = await admin.get<List<{ scopeId: string; externalId: string }>>('/api/sources');
  const scopeId = body.items.find(({ externalId }) => externalId === SITE)?.scopeId;
  expect((await admin.post('/api/scans', { scopeId, kind: 'inventory' })).status).toBe(200);
  await service.drain();
}

const namesOf = async (who: SignedIn, q: string) => {
  const { status, body } = await who.get<List<Row>>(`/api/assets?q=${encodeURIComponent(q)}`);
  expect(status).toBe(200);
  return body.items.map(({ name }) => name).sort();
};

describe('after a scan', () => {
  test('a word of the text finds it, in the plural too, together with words of the name', async () => {
    expect(await namesOf(auditor, 'kumquat')).toEqual(['Cellar.txt', 'Orchard.txt']);
    expect(await namesOf(auditor, 'KUMQUATS')).toEqual(['Cellar.txt', 'Orchard.txt']);
    expect(await namesOf(auditor, 'orchard kumquat')).toEqual(['Orchard.txt']);
    expect(await namesOf(auditor, 'kumquat orch')).toEqual(['Orchard.txt']);
    expect(await namesOf(auditor, 'kumquat absent')).toEqual(['Cellar.txt', 'Orchard.txt']);
  });

  test('with the name of an information type, to who sees it classified so', async () => {
    expect(await namesOf(auditor, 'kumquat payroll')).toEqual(['Cellar.txt']);
    // Of Cellar.txt they see nothing; Orchard.txt has one of the words.
    expect(await namesOf(finance, 'kumquat payroll')).toEqual(['Orchard.txt']);
    expect(await namesOf(finance, 'kumquat invoice')).toEqual(['Orchard.txt']);
  });

  test('what detectors found is found by its kind, and by none of its words or numbers', async () => {
    expect(await namesOf(auditor, 'credit card')).toContain('Card.txt');
    for (const q of ['quennell', 'quennell@trees', '4539', '6467']) {
      expect(await namesOf(auditor, q), q).toEqual([]);
    }
  });

  test('an owner finds nothing of another domain, and nobody anything of another tenant', async () => {
    expect(await namesOf(finance, 'kumquat')).toEqual(['Orchard.txt']);
    expect(await namesOf(finance, 'seasoning')).toEqual([]);
    expect(await namesOf(finance, 'cellar')).toEqual([]);
    expect(await namesOf(await service.signInAs(inOther(PERSONA.auditor)), 'kumquat')).toEqual([]);
    await storeScanned(database.db, OTHER, [{ assetId: 'ast_other', name: 'Kumquat elsewhere.txt' }]);
    expect(await namesOf(auditor, 'kumquat elsewhere')).toEqual(['Cellar.txt', 'Orchard.txt']);
    expect(await namesOf(await service.signInAs(inOther(PERSONA.auditor)), 'kumquat')).toEqual([
      'Kumquat elsewhere.txt',
    ]);
  });
});

test('spaces around it say nothing, and spaces alone ask for nothing', async () => {
  expect(await namesOf(auditor, '  ellar.tx ')).toEqual(['Cellar.txt']);
  expect(await namesOf(auditor, '   ')).toEqual(await namesOf(auditor, ''));
});

const SALTS = ['Salt AND pepper.txt', 'Salt pepper.txt', 'Salt.txt'];

describe('an operator of other searches is a word like others', () => {
  test.each([
    ['salt AND pepper', ['Salt AND pepper.txt']],
    ['salt OR pepper', SALTS],
    ['salt NEAR pepper', ['Cellar.txt', ...SALTS]],
    ['salt pepper', ['Salt AND pepper.txt', 'Salt pepper.txt']],
    ['"salt pepper"', ['Salt pepper.txt']],
    ['"pepper salt"', []],
    ['salt -pepper', ['Salt AND pepper.txt', 'Salt pepper.txt']],
    ['salt & !pepper', ['Salt AND pepper.txt', 'Salt pepper.txt']],
    ['(salt | kumquat)', ['Cellar.txt', 'Orchard.txt', ...SALTS]],
    ['pepp*', ['Salt AND pepper.txt', 'Salt pepper.txt']],
    ['pepp:*', ['Salt AND pepper.txt', 'Salt pepper.txt']],
    ['absent:salt', SALTS],
    ['kumquat NEAR liqueur', ['Cellar.txt']],
  ])('%s', async (q, expected) => {
    expect(await namesOf(auditor, q)).toEqual(expected);
  });

  test('where no asset has the words, what was typed is a part of the name', async () => {
    expect(await namesOf(auditor, 'rchar')).toEqual(['Orchard.txt']);
    expect(await namesOf(finance, 'rchar')).toEqual(['Orchard.txt']);
    expect(await namesOf(finance, 'ellar')).toEqual([]);
  });
});

test('metadata_only searches no texts, and the next scan removes their words', async () => {
  const profile = (name: string) =>
    database.inspect(sql`
      update tenants set data_handling_profile = ${name}, config_version = config_version + 1 where tenant_id = ${DEV}`);
  const kept = async () => {
    const [row] = await database.inspect<{ count: number }>(sql`
      select count(*)::int as count from asset_search, unnest(words) as w
       where tenant_id = ${DEV} and left(w.lexeme, 1) = '#'`);
    return row?.count;
  };
  expect(await kept()).toBeGreaterThan(0);
  await profile('metadata_only');
  expect(await namesOf(auditor, 'kumquat')).toEqual([]);
  expect(await namesOf(auditor, 'orchard')).toEqual(['Orchard.txt']);
  await scan();
  expect(await kept()).toBe(0);
  await profile('minimized_evidence');
  expect(await namesOf(auditor, 'kumquat')).toEqual([]);
  await scan();
  expect(await namesOf(auditor, 'kumquat')).toEqual(['Cellar.txt', 'Orchard.txt']);
});
