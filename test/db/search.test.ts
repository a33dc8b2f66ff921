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
const find = async (
  visibility: Visibility,
  q: string,
  search: Partial<Parameters<typeof findAssets>[3]> = {},
): Promise<string[]> => {
  const walk = { filter: {}, most: LIMIT, after: null, ...search };
  return (await read((tx) => findAssets(tx, visibility, q, walk))).assetIds;
};

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

describe('a name is split by the database as it is by us', () => {
  /**
   * All characters, without blocks of which one stands for all, and without U+0295: Unicode 17 no longer takes it for a
   * small letter, as the database does.
   */
  const isTaken = /[^\p{Cn}\p{Cs}\p{Co}\p{Script=Han}\p{Script=Hangul}\p{Script=Tangut}\0\u0295]/u;
  const characters = [
    ...Array.from({ length: 0x10ffff }, (_, n) => String.fromCodePoint(n)).filter((each) =>
      isTaken.test(each),
    ),
    ...['契', '한', '\u{f0000}'],
  ];

  /** How many of the texts the database knows all characters of, and those that it splits otherwise. */
  const compared = async (texts: readonly string[]) => {
    const rows = await database.inspect<{ text: string; split: string[] }>(sql`
      select text, search_words(text) as split from unnest(${texts}::text[]) as text where unicode_assigned(text)`);
    const isOther = ({ text, split }: (typeof rows)[number]) =>
      String(split.sort()) !== String([...new Set(words(text))].sort());
    return { known: rows.length, other: rows.filter(isOther) };
  };

  test('in several scripts', async () => {
    const names = [
      'Échéancier InvoiceRegister_2024-Q3 (final).PDF',
      'Straße Æsop łódź œuvre Đorđe',
      'Отчёт за 2024 год.docx',
      '契約書 — 第3版.pdf',
      '100%_off\\.TXT',
      'a€b ×c “quoted” naïve',
      'हिन्दी ภาษาไทย עִבְרִית العَرَبِيَّة',
      '📎Vertrag🙂Entwurf・契約・書',
      'ΟΔΟΣ ΟΔΟΣ.TXT οδος',
      `${'ü'.repeat(70)} Ⅷ½™ﬁn`,
      '',
    ];
    expect(await compared(names)).toEqual({ known: names.length, other: [] });
  });

  test('at each character', async () => {
    const { known, other } = await compared(characters.map((each) => `a${each}b A${each}B`));
    expect(other).toEqual([]);
    // The others are newer than its Unicode.
    expect(known).toBeGreaterThan(0.9 * characters.length);
  });

  test('wherever characters stand', async () => {
    const anyCharacter = fc.oneof(
      fc.constantFrom(...characters),
      fc.constantFrom('a', 'B', 'Σ', 'ς', 'ß', 'İ', '\u0301', 'é', 'ǅ', 'Ⅷ', 'ª', ' ', '.', '7'),
    );
    const text = fc.array(anyCharacter, { maxLength: 80 }).map((each) => each.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 50, maxLength: 50 }), async (texts) => {
        expect((await compared(texts)).other).toEqual([]);
      }),
      { numRuns: propertyRuns(40) },
    );
  });
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
