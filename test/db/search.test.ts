import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Visibility } from '../../core/authz/principal.ts';
import { type Statement, sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { DomainId } from '../../core/kernel/ids.ts';
import { isStopWord, words } from '../../core/kernel/words.ts';
import { findAssets } from '../../core/search/search.sql.ts';
import { storeScanned } from '../support/assets.ts';
import type { TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { tellWords } from '../support/searched-tenant.ts';
import { DEV, OTHER } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const TENANT_WIDE: Visibility = { kind: 'tenant' };
const FINANCE: Visibility = { kind: 'domains', domainIds: ['dom_finance' as DomainId] };
const ASSETS = 3_000;
const LIMIT = 5;

let database: TestDatabase;

/** Words of names by how many assets have them: of the newest, of all, of the oldest alone. */
beforeAll(async () => {
  database = await createSeededDatabase();
  await storeScanned(database.db, DEV, [{ assetId: 'ast_first', seenAt: 0 }]);
  await database.inspect(sql`
    insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                        content_version, label_state, risk_severity, first_seen_at, last_seen_at, changed_at)
    select ${DEV}, 'ast_n' || n, (select scope_id from scopes where tenant_id = ${DEV} and external_id = 'site-test'), n,
           concat_ws(' ', 'Every', case when n % 4 = 0 then 'fourth' end, case when n % 40 = 0 then 'fortieth' end,
                     case when n % 700 = 0 then 'rare' end, case when n <= 60 then 'newest' end,
                     case when n <= 4 then 'four' end, case when n > 2900 then 'oldest' end), 'a', 'file', 1, '1', '1',
           case when n % 3 = 0 then 'labeled' else 'unlabeled' end, case when n % 2 = 0 then 'high' end, now(), now(),
           -- Two of each moment: ties are told apart by id.
           '2026-01-01'::timestamptz - n / 2 * interval '1 minute'
      from generate_series(1, ${ASSETS}::integer) as n`);
  await database.inspect(sql`
    insert into candidates (tenant_id, candidate_id, asset_id, scope_id, domain_id, information_type_id, confidence, band,
                            created_at, updated_at)
    select ${DEV}, 'cnd_n' || n, 'ast_n' || n, '', 'dom_finance', 'ift_invoices', 0.9, 'high', now(), now()
      from generate_series(1, ${ASSETS}::integer) as n where n % 10 = 0`);
  await database.inspect(sql`update assets set status = 'deleted' where asset_id in ('ast_n8', 'ast_n1400')`);
  await database.inspect(sql`update assets set changed_at = changed_at + interval '90 minutes'
     where tenant_id = ${DEV} and asset_id in (select 'ast_n' || n * 83 from generate_series(1, 30) as n)`);
  await database.inspect(
    sql`update assets set status = 'deleted' where asset_id in ('ast_n12', 'ast_n2800')`,
  );
  await database.inspect(sql`analyze asset_search`);
});
afterAll(() => database.drop());

const read = <T>(fn: (tx: Parameters<typeof findAssets>[0]) => Promise<T>) =>
  withTx(database.db, { tenantId: DEV, mode: 'read' }, fn);
const find = (visibility: Visibility, q: string, search: Partial<Parameters<typeof findAssets>[3]> = {}) =>
  read((tx) => findAssets(tx, visibility, q, { filter: {}, most: LIMIT, after: null, ...search }));

describe('whatever way they are found, they are those that changed last', () => {
  const anyWord = fc.constantFrom(
    'every',
    'fourth',
    'fortieth',
    'rare',
    'newest',
    'four',
    'oldest',
    'absent',
  );
  const anySearch = fc.record({
    q: fc.array(anyWord, { minLength: 1, maxLength: 2 }),
    visibility: fc.constantFrom(TENANT_WIDE, FINANCE),
    filter: fc.record(
      { labelState: fc.constant('labeled' as const), riskSeverity: fc.constant('high' as const) },
      { requiredKeys: [] },
    ),
    after: fc.option(fc.integer({ min: 1, max: ASSETS })),
    limit: fc.constantFrom(1, LIMIT, 60, 201),
  });

  test('as a walk over all of them tells', async () => {
    await fc.assert(
      fc.asyncProperty(anySearch, async ({ q, ...search }) => {
        const has = (word: string) => sql`${word} = any(regexp_split_to_array(lower(a.name), ' '))`;
        const all = q.reduce((each, word) => sql`${each} and ${has(word)}`, sql`true`);
        const some = q
          .filter((word) => !isStopWord(word))
          .reduce((each, word) => sql`${each} or ${has(word)}`, sql`false`);
        const isAnywhere = await walked(all, { ...search, filter: {}, after: null, limit: 1 });
        const expected = await walked(isAnywhere.length > 0 ? all : sql`(${some})`, search);
        const found = await find(search.visibility, `${q.join(' ')} every`, {
          filter: search.filter,
          after: await placeOf(search.after),
          most: search.limit,
        });
        expect(found).toEqual(expected);
      }),
      { numRuns: propertyRuns(150) },
    );
  });

  /** Of all, of many, of some all over, of the newest and of the oldest alone, of few, of none. */
  const anyPart = fc.constantFrom('very', 'our', 'ortieth', 'ewest', 'ldest', 'are', 'bsent');

  test('parts of words too', async () => {
    await fc.assert(
      fc.asyncProperty(anyPart, anySearch, async (part, { q: _, ...search }) => {
        const expected = await walked(sql`strpos(lower(a.name), ${part}) > 0`, search);
        const found = await find(search.visibility, part, {
          filter: search.filter,
          after: await placeOf(search.after),
          most: search.limit,
        });
        expect(new Set(found)).toEqual(new Set(expected));
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  /** What is right, by reading all. */
  const walked = async (
    which: Statement,
    {
      visibility,
      filter,
      after,
      limit,
    }: {
      visibility: Visibility;
      filter: { labelState?: string; riskSeverity?: string };
      after: number | null;
      limit: number;
    },
  ) => {
    const place = await placeOf(after);
    const rows = await database.inspect<{ asset_id: string }>(sql`
      select a.asset_id from assets a
       where a.tenant_id = ${DEV} and a.status = 'active' and ${which}
         and (${visibility.kind === 'tenant'} or exists (
           select from candidates k where k.tenant_id = a.tenant_id and k.asset_id = a.asset_id))
         and (${filter.labelState ?? null}::text is null or a.label_state = ${filter.labelState ?? null})
         and (${filter.riskSeverity ?? null}::text is null or a.risk_severity = ${filter.riskSeverity ?? null})
         and (a.changed_at, a.asset_id) < (${place === null ? new Date(8e12) : new Date(place.changedAt)}, ${place?.assetId ?? ''})
       order by a.changed_at desc, a.asset_id desc limit ${limit}`);
    return rows.map((row) => row.asset_id);
  };

  const placeOf = async (nth: number | null) => {
    if (nth === null) return null;
    const assetId = `ast_n${nth}`;
    const [row] = await database.inspect<{ changed_at: Date }>(
      sql`select changed_at from assets where tenant_id = ${DEV} and asset_id = ${assetId}`,
    );
    if (row === undefined) throw new Error('No such asset');
    return { changedAt: row.changed_at.toISOString(), assetId };
  };
});

test('no input is anything but words', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc
          .array(
            fc.constantFrom(
              'every',
              'AND',
              'OR',
              'NEAR',
              '"',
              '-',
              '*',
              ':',
              '&',
              '|',
              '!',
              '(',
              ')',
              "'",
              '\\',
              '<->',
              ' ',
              '%',
              '_',
            ),
            {
              maxLength: 40,
            },
          )
          .map((pieces) => pieces.join('')),
      ),
      async (typed) => {
        const q = typed.replaceAll('\0', '');
        for (const visibility of [TENANT_WIDE, FINANCE]) {
          expect((await find(visibility, q)).length).toBeLessThanOrEqual(LIMIT);
        }
      },
    ),
    { numRuns: propertyRuns(100) },
  );
});

test('a name is split by the database as it is by us', async () => {
  const names = [
    'Échéancier InvoiceRegister_2024-Q3 (final).PDF',
    'Straße Æsop łódź œuvre Đorđe',
    'Отчёт за 2024 год.docx',
    '契約書 — 第3版.pdf',
    '100%_off\\.TXT',
    'a€b ×c “quoted” naïve',
    '',
  ];
  for (const name of names) {
    const [row] = await database.inspect<{ words: string[] }>(sql`select search_words(${name}) as words`);
    expect(row?.words.sort(), name).toEqual([...new Set(words(name))].sort());
  }
});

describe('what is stored of an asset', () => {
  const lexemesOf = async (assetId: string) => {
    const [row] = await database.inspect<{ lexemes: string[]; marks: string[] }>(sql`
      select array(select lexeme from unnest(words)) as lexemes, marks
        from asset_search where tenant_id = ${DEV} and asset_id = ${assetId}`);
    return row ?? { lexemes: [], marks: [] };
  };
  const tell = (assetId: string, text: string, kinds: readonly string[] = []) =>
    withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) => tellWords(tx, assetId, words(text), kinds));

  test('a rename changes the words of the name and leaves those of the text', async () => {
    await storeScanned(database.db, DEV, [
      { assetId: 'ast_renamed', name: 'Before.docx', path: 'Before.docx' },
    ]);
    await tell('ast_renamed', 'quarterly dividend', ['credit_card']);
    expect(await find(TENANT_WIDE, 'before dividend')).toEqual(['ast_renamed']);
    await database.inspect(
      sql`update assets set name = 'After.docx', path = 'After.docx' where asset_id = 'ast_renamed'`,
    );
    expect(await find(TENANT_WIDE, 'before')).toEqual([]);
    expect(await find(TENANT_WIDE, 'after dividend')).toEqual(['ast_renamed']);
    expect(await find(TENANT_WIDE, 'dividends card')).toEqual(['ast_renamed']);
    await tell('ast_renamed', 'other');
    expect(await find(TENANT_WIDE, 'dividend')).toEqual([]);
    expect(await find(TENANT_WIDE, 'card')).toEqual([]);
  });

  test('no word of a text can be read, and each tenant has its own', async () => {
    for (const tenantId of [DEV, OTHER]) {
      await storeScanned(database.db, tenantId, [{ assetId: 'ast_both', name: 'x', path: 'x', format: 'x' }]);
      await withTx(database.db, { tenantId, mode: 'write' }, (tx) =>
        tellWords(tx, 'ast_both', ['acquisition']),
      );
    }
    const rows = await database.inspect<{ words: string }>(
      sql`select words::text as words from asset_search where asset_id = 'ast_both'`,
    );
    expect(rows).toHaveLength(2);
    expect(new Set(rows.map((row) => row.words)).size).toBe(2);
    expect(JSON.stringify(rows)).not.toContain('acquisition');
  });

  test('marks follow what ties it to domains', async () => {
    const said = { informationTypeId: 'ift_invoices', domainId: 'dom_finance', confidence: 0.9 };
    await storeScanned(database.db, DEV, [{ assetId: 'ast_marked', name: 'Marked', said: [said] }]);
    expect((await lexemesOf('ast_marked')).marks.map((mark) => mark.slice(4))).toEqual([
      'dom_finance',
      'ift_invoices',
      'label:unlabeled',
    ]);
    expect(await find(FINANCE, 'marked')).toEqual(['ast_marked']);
    await database.inspect(sql`update candidates set status = 'rejected' where asset_id = 'ast_marked'`);
    expect((await lexemesOf('ast_marked')).marks.map((mark) => mark.slice(4))).toEqual(['label:unlabeled']);
    expect(await find(FINANCE, 'marked')).toEqual([]);
  });

  test('the rows can be rebuilt from what is stored of the assets', async () => {
    await storeScanned(database.db, DEV, [{ assetId: 'ast_rebuilt', name: 'Rebuilt.docx', path: 'x' }]);
    await tell('ast_rebuilt', 'dividend', ['credit_card']);
    const of = () => Promise.all(['ast_n4', 'ast_n10', 'ast_rebuilt'].map(lexemesOf));
    const before = await of();
    expect(before[1]?.lexemes.map((lexeme) => lexeme.slice(4))).toContain('every');
    await database.inspect(sql`delete from asset_search where tenant_id = ${DEV}`);
    await database.inspect(sql`select rebuild_search(${DEV})`);
    expect(await of()).toEqual(before);
  });
});

describe('the order and the spellings', () => {
  const stored = async (...assets: { assetId: string; name: string; text?: string }[]) => {
    // The later ones are older.
    for (const [nth, { assetId, name, text }] of assets.entries()) {
      await storeScanned(database.db, DEV, [{ assetId, name, path: `p/${assetId}` }]);
      if (text !== undefined) {
        await withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) =>
          tellWords(tx, assetId, words(text)),
        );
      }
      await database.inspect(sql`
        update assets set changed_at = '2027-01-01'::timestamptz - ${nth}::integer * interval '1 day'
         where tenant_id = ${DEV} and asset_id = ${assetId}`);
    }
  };
  const best = (q: string) =>
    read((tx) => findAssets(tx, TENANT_WIDE, q, { filter: {}, most: 20, after: null }, 'best'));

  test('names come before texts, each the newest first', async () => {
    await stored(
      { assetId: 'ast_o1', name: 'one.txt', text: 'wolfram quota' },
      { assetId: 'ast_o2', name: 'wolfram quota.txt' },
      { assetId: 'ast_o3', name: 'wolfram.txt', text: 'quota' },
      { assetId: 'ast_o4', name: 'quota of wolfram.txt' },
    );
    expect(await best('wolfram quota')).toEqual(['ast_o2', 'ast_o4', 'ast_o1', 'ast_o3']);
    expect(await find(TENANT_WIDE, 'wolfram quota')).toEqual(['ast_o1', 'ast_o2', 'ast_o3', 'ast_o4']);
  });

  test('assets with some of the words are found where none has all', async () => {
    await stored(
      { assetId: 'ast_s1', name: 'tungsten.txt' },
      { assetId: 'ast_s2', name: 'x.txt', text: 'ferrite' },
    );
    expect(await best('the tungsten of ferrite')).toEqual(['ast_s1', 'ast_s2']);
    expect(await best('the tungsten')).toEqual(['ast_s1']);
    expect(await best('of the')).toEqual([]);
  });

  test('words in quotes stand next to each other in a name', async () => {
    await stored(
      { assetId: 'ast_q1', name: 'Cobalt_Ledger 2024.txt' },
      { assetId: 'ast_q2', name: 'ledger of cobalt.txt' },
      { assetId: 'ast_q3', name: 'q3.txt', text: 'ledger and cobalt' },
    );
    expect(await best('cobalt ledger')).toEqual(['ast_q1', 'ast_q2', 'ast_q3']);
    expect(await best('"cobalt ledger"')).toEqual(['ast_q1', 'ast_q3']);
    expect(await best('"cobalt ledger" 2024')).toEqual(['ast_q1']);
    expect(await best('"ledger cobalt nothing"')).toEqual([]);
  });

  test.each([
    ['bonuses', 'bonus'],
    ['bonus', 'bonuses'],
    ['analyses', 'analysis'],
    ['policy', 'policies'],
    ['boxes', 'box'],
    ['Sued', 'Süd'],
    ['Süd', 'Sued'],
    ['sud', 'Süd'],
    ['Strasse', 'Straße'],
    ['resume', 'résumé'],
    ['résumé', 'resume'],
  ])('%s finds %s in names and texts', async (sought, written) => {
    const [named, told] = [`ast_${sought}_named`, `ast_${sought}_told`];
    const mark = `vanadium${Buffer.from(sought).toString('hex')}`;
    await stored(
      { assetId: named, name: `${written} ${mark}.txt` },
      { assetId: told, name: 'w.txt', text: `${written} ${mark}` },
    );
    expect(await best(`${sought} ${mark}`)).toEqual([named, told]);
  });
});
