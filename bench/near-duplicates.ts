import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createPool } from '../core/db/pool.ts';
import { sql } from '../core/db/sql.ts';
import { type Db, withTx } from '../core/db/tx.ts';
import type { TenantId } from '../core/kernel/ids.ts';
import { analyse } from '../core/scan/analyse.ts';
import { LEAST_SIMILARITY } from '../core/similarity/comparable.ts';
import { findSimilar } from '../core/similarity/find-similar.sql.ts';
import { sketchesOf } from '../core/similarity/sketches.ts';
import { storeComparable } from '../core/similarity/store-comparable.sql.ts';
import { renderTable } from '../infra/local/table.ts';
import { readOptions } from './support/command-line.ts';
import { makeScope, makeTenant, startDatabase } from './support/database.ts';
import { inWorkspace, type Workspace } from './support/workspace.ts';

const USAGE = `npm run bench -- near-duplicates [FOLDER] [--json]

Measures near-duplicates at a Jaccard similarity of 0.8 over sequences of five words, compared with the exact
comparison of all pairs.

  FOLDER  a corpus: texts in FOLDER/near-duplicates/versions, and in FOLDER/near-duplicates/pairs.tsv the columns
          a, b, jaccard5 for some of their pairs. The similarity of the other pairs is computed here.
  --json  end with one JSON object on the last line`;

const AT = 0.8;
const SHINGLE_WORDS = 5;
const WORD = /[\p{L}\p{N}_]+/gu;
const TENANT = 'bench' as TenantId;

type Text = { file: string; assetId: string; text: string; hash: string };

/** Every text file of the corpus, in order. */
async function readTexts(corpus: string): Promise<Text[]> {
  const files = await readdir(path.join(corpus, 'versions'), { recursive: true, withFileTypes: true });
  const paths = files
    .filter((file) => file.isFile())
    .map((file) => path.relative(corpus, path.join(file.parentPath, file.name)).replaceAll(path.sep, '/'))
    .sort();
  return Promise.all(
    paths.map(async (file, at) => {
      const text = await readFile(path.join(corpus, file), 'utf8');
      const hash = createHash('sha256').update(text).digest('hex');
      return { file, assetId: `ast_${String(at).padStart(6, '0')}`, text, hash };
    }),
  );
}

const pairKey = (a: string, b: string) => (a < b ? `${a}\n${b}` : `${b}\n${a}`);

/** Exact similarities as stated by the corpus. */
async function statedPairs(corpus: string): Promise<Map<string, number>> {
  const [, ...lines] = (await readFile(path.join(corpus, 'pairs.tsv'), 'utf8')).trim().split(/\r?\n/);
  return new Map(
    lines.map((line) => {
      const [a = '', b = '', jaccard] = line.split('\t');
      return [pairKey(a, b), Number(jaccard)];
    }),
  );
}

/** The set of shingles of each text, as numbers without collisions. */
function shingleSets(texts: readonly Text[]): Set<number>[] {
  const numbers = new Map<string, number>();
  return texts.map(({ text }) => {
    const words = text.toLowerCase().match(WORD) ?? [];
    return new Set(
      words.slice(SHINGLE_WORDS - 1).map((_, at) => {
        const shingle = words.slice(at, at + SHINGLE_WORDS).join(' ');
        const number = numbers.get(shingle) ?? numbers.size;
        numbers.set(shingle, number);
        return number;
      }),
    );
  });
}

function jaccard(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  // Even if all shingles are shared, the similarity stays below the threshold.
  if (small.size < AT * large.size) return 0;
  let shared = 0;
  for (const shingle of small) if (large.has(shingle)) shared++;
  return shared / (a.size + b.size - shared || 1);
}

/** All near-duplicate pairs, by exact comparison of every pair. */
function exactPairs(texts: readonly Text[], stated: ReadonlyMap<string, number>): Set<string> {
  const sets = shingleSets(texts);
  const near = new Set<string>();
  for (const [i, a] of texts.entries()) {
    for (const [offset, b] of texts.slice(i + 1).entries()) {
      const key = pairKey(a.file, b.file);
      const similarity = stated.get(key) ?? jaccard(sets[i] ?? new Set(), sets[i + 1 + offset] ?? new Set());
      if (similarity >= AT) near.add(key);
    }
  }
  return near;
}

/** The pairs that the product finds, with features derived and stored as in a scan and looked up asset by asset. */
async function foundPairs(db: Db, texts: readonly Text[], scopeId: string) {
  const excerpts = { max: 0, width: 0 };
  for (const { file, assetId, text, hash } of texts) {
    const { sketches } = analyse(text, {
      name: 'document',
      path: 'document',
      contentHash: hash,
      excerpts,
      detectors: [],
      homes: [],
      fingerprintKey: null,
      vocabulary: null,
      forOpinion: false,
    });
    await withTx(db, { tenantId: TENANT, mode: 'write' }, async (tx) => {
      await tx.execute(sql`
        insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                            content_version, content_hash, first_seen_at, last_seen_at)
        values (${TENANT}, ${assetId}, ${scopeId}, ${file}, ${file}, ${file}, 'file', ${text.length}, '1', '1',
                decode(${hash}, 'hex'), now(), now())`);
      await storeComparable(tx, assetId, { sketches, contains: [] });
    });
  }
  const files = new Map(texts.map(({ assetId, file }) => [assetId, file]));
  const pairs = new Set<string>();
  const milliseconds: number[] = [];
  for (const { file, assetId, hash } of texts) {
    const began = performance.now();
    const similar = await withTx(db, { tenantId: TENANT, mode: 'read' }, (tx) =>
      findSimilar(
        tx,
        { assetId, contentHash: hash, sketches: null },
        { among: sql`true`, decided: false, limit: texts.length },
      ),
    );
    milliseconds.push(performance.now() - began);
    for (const each of similar) {
      if (each.kind === 'near_duplicate') pairs.add(pairKey(file, files.get(each.assetId) ?? ''));
    }
    // Identical copies are found by their hash, which is not measured here.
    for (const other of texts) {
      if (other.hash === hash && other.file !== file) pairs.add(pairKey(file, other.file));
    }
  }
  return { pairs, milliseconds: milliseconds.sort((a, b) => a - b) };
}

function sketchRate(texts: readonly Text[]): number {
  const began = performance.now();
  for (const { text } of texts) sketchesOf(text);
  const bytes = texts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  return bytes / 1_000 / (performance.now() - began);
}

async function measure(workspace: Workspace, folder: string) {
  const corpus = path.join(folder, 'near-duplicates');
  const texts = await readTexts(corpus);
  const stated = await statedPairs(corpus);
  const { ownerUrl, url } = await startDatabase(workspace);
  const owner = createPool(ownerUrl, { max: 1, applicationName: 'bench' });
  await makeTenant(owner, TENANT);
  await owner.close();
  const db = createPool(url, { max: 1, applicationName: 'bench' });
  workspace.atEnd(db.close);

  const { pairs, milliseconds } = await foundPairs(db, texts, await makeScope(db, TENANT));
  const began = performance.now();
  const exact = exactPairs(texts, stated);
  const exactSeconds = (performance.now() - began) / 1_000;
  const right = [...pairs].filter((pair) => exact.has(pair)).length;
  const at = (share: number) => rounded(milliseconds[Math.ceil(share * milliseconds.length) - 1] ?? 0, 2);
  return {
    recall: rounded(right / exact.size, 4),
    precision: rounded(right / pairs.size, 4),
    texts: texts.length,
    exactPairs: exact.size,
    foundPairs: pairs.size,
    lookupP50Ms: at(0.5),
    lookupP95Ms: at(0.95),
    exactSeconds: rounded(exactSeconds, 2),
    sketchMbPerSecond: rounded(sketchRate(texts), 1),
  };
}

const rounded = (value: number, digits: number) => Number(value.toFixed(digits));

const options = readOptions(USAGE);
const { folder } = options;
if (folder === undefined) {
  console.error(USAGE);
  process.exit(1);
}
const figures = await inWorkspace((workspace) => measure(workspace, folder));
console.log(
  renderTable(
    [`Jaccard >= ${AT}, ${figures.texts} texts`, 'pairs', 'recall', 'precision', 'cost'],
    [
      ['exact, all pairs', figures.exactPairs, '1.000', '1.000', `${figures.exactSeconds} s for all`],
      [
        `sketches, estimate >= ${LEAST_SIMILARITY.near_duplicate}`,
        figures.foundPairs,
        figures.recall.toFixed(3),
        figures.precision.toFixed(3),
        `p50 ${figures.lookupP50Ms} ms, p95 ${figures.lookupP95Ms} ms a look-up`,
      ],
    ],
  ),
);
console.log(`Sketches of both kinds: ${figures.sketchMbPerSecond} MB/s`);
if (options.json) console.log(JSON.stringify(figures));
