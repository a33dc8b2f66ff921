import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Visibility } from '../../core/authz/principal.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { words } from '../../core/kernel/words.ts';
import type { SearchOrder } from '../../core/search/having-words.sql.ts';
import { findAssets } from '../../core/search/search.sql.ts';
import { storeScanned } from '../support/assets.ts';
import type { TestDatabase } from '../support/database.ts';
import { tellWords } from '../support/searched-tenant.ts';
import { DEV } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const TENANT_WIDE: Visibility = { kind: 'tenant' };

let database: TestDatabase;

beforeAll(async () => {
  database = await createSeededDatabase();
});
afterAll(() => database.drop());

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
const find = async (q: string, order: SearchOrder) => {
  const walk = { filter: {}, most: 20, after: null };
  const { assetIds } = await withTx(database.db, { tenantId: DEV, mode: 'read' }, (tx) =>
    findAssets(tx, TENANT_WIDE, q, walk, { order }),
  );
  return assetIds;
};
const best = (q: string) => find(q, 'best');
const newest = (q: string) => find(q, 'newest');

test('names come before texts, each the newest first', async () => {
  await stored(
    { assetId: 'ast_o1', name: 'one.txt', text: 'wolfram quota' },
    { assetId: 'ast_o2', name: 'wolfram quota.txt' },
    { assetId: 'ast_o3', name: 'wolfram.txt', text: 'quota' },
    { assetId: 'ast_o4', name: 'quota of wolfram.txt' },
  );
  expect(await best('wolfram quota')).toEqual(['ast_o2', 'ast_o4', 'ast_o1', 'ast_o3']);
  expect(await newest('wolfram quota')).toEqual(['ast_o1', 'ast_o2', 'ast_o3', 'ast_o4']);
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
    { assetId: 'ast_q0', name: 'q0.txt', text: 'ledgers and a ledger' },
    { assetId: 'ast_q1', name: 'q1.txt', text: 'ledgers and cobalt' },
    { assetId: 'ast_q2', name: 'ledger of cobalt.txt' },
    { assetId: 'ast_q3', name: 'Cobalt_Ledger 2024.txt' },
    { assetId: 'ast_q4', name: 'CobaltLedgers.txt', text: 'from 2024' },
  );
  expect(await best('cobalt ledger')).toEqual(['ast_q2', 'ast_q3', 'ast_q4', 'ast_q1']);
  expect(await best('"cobalt ledger"')).toEqual(['ast_q3', 'ast_q4', 'ast_q1']);
  expect(await newest('"cobalt ledger"')).toEqual(['ast_q1', 'ast_q3', 'ast_q4']);
  expect(await best('2024 "cobalt ledgers"')).toEqual(['ast_q3', 'ast_q4']);
  expect(await best('"ledger cobalt nothing"')).toEqual([]);
});

test('each of several phrases stands in the name or in the text', async () => {
  await stored(
    { assetId: 'ast_p1', name: 'Nickel Report.txt', text: 'gross profit' },
    { assetId: 'ast_p2', name: 'report of nickel, gross profit.txt' },
    { assetId: 'ast_p3', name: 'Nickel Report, gross of profits.txt' },
    { assetId: 'ast_p4', name: 'p4.txt', text: 'profit, gross, nickel, report' },
    { assetId: 'ast_p5', name: 'Gross Profits (nickel reports).txt' },
  );
  expect(await best('"nickel report" "gross profit"')).toEqual(['ast_p5', 'ast_p1', 'ast_p4']);
  expect(await newest('"nickel report" "gross profit"')).toEqual(['ast_p1', 'ast_p4', 'ast_p5']);
});

test.each([
  ['"Sued Bericht"', 'Süd Bericht.txt'],
  ['"SÜD BERICHT"', 'Sued-Bericht.txt'],
  ['"annual report"', 'Annual Reports.txt'],
  ['"annual policies"', 'AnnualPolicy.txt'],
  ['MÜNCHEN Süd', 'Muenchen Sued.txt'],
  ['ÖLPreisÄnderung Süd', 'Oel preis aenderung sued.txt'],
  ['Prüf', 'Pruefbericht.pdf'],
  ['Pruef', 'Prüfbericht.pdf'],
  ['jährliche Prüf', 'Jaehrliche Pruefungen.pdf'],
  ['annual cookie', 'Annual cookiebanner.txt'],
])('%s finds %s', async (sought, written) => {
  const [spelled = '', decoy = ''] = ['spelled', 'decoy'].map(
    (each) => `ast_${each}_${Buffer.from(sought).toString('hex')}`,
  );
  // Has some of the words.
  await stored(
    { assetId: decoy, name: 'annual bericht munchen preis jahrliche.txt' },
    { assetId: spelled, name: written },
  );
  expect(await best(sought)).toEqual([spelled]);
  await database.inspect(sql`update assets set status = 'deleted' where asset_id in (${spelled}, ${decoy})`);
});

test.each([
  ['bonuses', 'bonus'],
  ['bonus', 'bonuses'],
  ['analyses', 'analysis'],
  ['analysis', 'analyses'],
  ['policy', 'policies'],
  ['boxes', 'box'],
  ['cookies', 'cookie'],
  ['cookie', 'cookies'],
  ['movies', 'movie'],
  ['tie', 'ties'],
  ['menu', 'menus'],
  ['cache', 'caches'],
  ['caches', 'cache'],
  ['axe', 'axes'],
  ['axes', 'axe'],
  ['Sued', 'Süd'],
  ['Süd', 'Sued'],
  ['sud', 'Süd'],
  ['Abenteuerfuehrung', 'Abenteuerführung'],
  ['Abenteuerführung', 'Abenteuerfuehrung'],
  ['ängström', 'Aengström'],
  ['ΟΔΟΣ', 'οδος'],
  ['Strasse', 'Straße'],
  ['resume', 'résumé'],
  ['résumé', 'resume'],
])('%s finds %s in names and texts', async (sought, written) => {
  const mark = `vanadium${Buffer.from(sought).toString('hex')}`;
  const [named = '', told = '', decoy = ''] = ['named', 'told', 'decoy'].map((each) => `ast_${mark}_${each}`);
  await stored(
    { assetId: named, name: `${written} ${mark}.txt` },
    { assetId: told, name: 'w.txt', text: `${written} ${mark}` },
    { assetId: decoy, name: `${mark}.txt` },
  );
  expect(await best(`${sought} ${mark}`)).toEqual([named, told]);
});
