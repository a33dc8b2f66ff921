import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Principal, Visibility } from '../../core/authz/principal.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import { questionPages } from '../../core/exports/export-queue.ts';
import type { DomainId } from '../../core/kernel/ids.ts';
import { readQueue } from '../../core/review/queue.ts';
import { countQuestions, queueFacets } from '../../core/review/queue-counts.sql.ts';
import { QUEUE_SORTS, type QueueFilter, QueueFilterSchema } from '../../core/review/queue-filter.sql.ts';
import { listQueue } from '../../core/review/queue-list.sql.ts';
import type { TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { DEV } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const DOMAINS = ['dom_x', 'dom_y', 'dom_z'] as DomainId[];
const ASSETS = 60;

let database: TestDatabase;

const read = <T>(fn: (tx: Tx) => Promise<T>) => withTx(database.db, { tenantId: DEV, mode: 'read' }, fn);

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 0 });
  await database.inspect(sql`
    insert into domains (tenant_id, domain_id, name, created_at, updated_at)
    select ${DEV}, d, 'Name of ' || d, now(), now() from unnest(${DOMAINS}::text[]) as d`);
  await database.inspect(sql`
    insert into information_types (tenant_id, information_type_id, domain_id, name, created_at, updated_at)
    select ${DEV}, 'ift_' || d || '_' || t, d, concat('Papers ', right(d, 1), t), now(), now()
      from unnest(${DOMAINS}::text[]) as d cross join generate_series(0, 1) as t`);
  await database.inspect(sql`
    insert into connector_instances (tenant_id, connector_instance_id, family, mode, created_at)
    values (${DEV}, 'con_queue', 'm365', 'mock', now())`);
  await database.inspect(sql`
    insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, created_at)
    select ${DEV}, 'scp_' || s, 'con_queue', 'm365', 's' || s, (array['Archiv Süd', 'Harbour'])[1 + s], 'site', now() from generate_series(0, 1) as s`);
  await database.inspect(sql`
    insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                        content_version, risk_severity, first_seen_at, last_seen_at, changed_at)
    select ${DEV}, 'ast_queue_' || n, 'scp_' || n % 2, 'q' || n, (array['Quarterly plan', 'Jährlicher Bericht', 'Budget x0'])[1 + n % 3], 'Board/' || n % 4, 'file', 1, 'v', 'c',
           (array['low', 'high', null])[1 + n * 7 % 3], now(), now(), now() from generate_series(1, ${ASSETS}::int) as n`);
  await database.inspect(sql`
    insert into candidates (tenant_id, candidate_id, asset_id, domain_id, information_type_id, confidence, band, status,
                            asked_because, risk_severity, representative, created_at, updated_at)
    select ${DEV}, concat('cnd_', n, d, t), 'ast_queue_' || n, d, 'ift_' || d || '_' || t, 0.5 + (n * 3 + t) % 5 / 10.0,
           (array['high', 'review'])[1 + (n + t) % 2], (array['pending', 'pending', 'confirmed'])[1 + (n / 2 + t) % 3],
           (array['inferred', 'content_changed', 'corrected'])[1 + n * 5 % 3], (array['low', 'high', null])[1 + n * 7 % 3],
           n % 11 = 0, now() - (n * 37 % 53) * interval '1 hour', now()
      from generate_series(1, ${ASSETS}::int) as n cross join unnest(${DOMAINS}::text[]) as d cross join generate_series(0, 1) as t
     where (n + t + length(d) + ascii(right(d, 1))) % 3 > 0`);
});
afterAll(() => database.drop());

const all: Visibility = { kind: 'domains', domainIds: DOMAINS };
const reader = fc.subarray(DOMAINS).map((domainIds): Visibility => ({ kind: 'domains', domainIds }));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 1 });
/** Texts with words of names, paths, scopes and types, each whole or begun. */
const TEXTS = [
  'quart',
  'plan board',
  'BERICHT jahrlicher',
  'budget',
  'sud',
  'harbour 1',
  'papers z0',
  'x0',
  'y1 plan',
  '"archiv" harb',
  '--',
];
const filter = fc
  .record({
    q: maybe(fc.constantFrom(...TEXTS, '')),
    domainId: maybe(fc.constantFrom(...DOMAINS, 'dom_nowhere')),
    informationTypeId: maybe(fc.constantFrom('ift_dom_x_0', 'ift_dom_y_1', 'ift_nowhere')),
    scopeId: maybe(fc.constantFrom('scp_0', 'scp_1', 'scp_nowhere')),
    band: maybe(fc.constantFrom('high', 'review')),
    riskSeverity: maybe(fc.constantFrom('low', 'high', 'critical')),
    askedBecause: maybe(fc.constantFrom('inferred', 'content_changed', 'corrected', 'representative')),
    ids: maybe(fc.constantFrom('cnd_1dom_x0,cnd_2dom_x1,cnd_3dom_y0,cnd_4dom_z0,cnd_5dom_z1,cnd_nothing')),
  })
  .chain((members) =>
    fc
      .subarray(Object.keys(members), { maxLength: 2 })
      .map((names) =>
        QueueFilterSchema.parse(
          Object.fromEntries(
            Object.entries(members).filter(([name, value]) => names.includes(name) && value !== undefined),
          ),
        ),
      ),
  );
type Filter = ReturnType<typeof QueueFilterSchema.parse>;
type Asked = Awaited<ReturnType<typeof listQueue>>[number];

const folded = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Whether each word of the text is one of the question; the last may be the beginning of one, from three characters on. */
function holds({ assetName, location, types }: Asked, text: string): boolean {
  const names = [
    assetName,
    location.path,
    location.scopeName,
    ...types.map((each) => each.informationTypeName),
  ];
  const words = names.flatMap((name) => folded(name ?? ''));
  const sought = folded(text);
  return (
    sought.length > 0 &&
    sought.every(
      (word, at) =>
        words.includes(word) ||
        (at === sought.length - 1 && word.length >= 3 && words.some((each) => each.startsWith(word))),
    )
  );
}

/** What the filter means of the questions of all domains, in the order of the queue. */
const expected = (questions: readonly Asked[], visibility: Visibility, asked: Filter) =>
  questions.filter(
    (each) =>
      visibility.kind === 'domains' &&
      visibility.domainIds.some((id) => id === each.domainId) &&
      ((asked.q ?? '') === '' || holds(each, asked.q ?? '')) &&
      (asked.domainId ?? each.domainId) === each.domainId &&
      (asked.informationTypeId === undefined ||
        each.types.some(({ informationTypeId }) => informationTypeId === asked.informationTypeId)) &&
      (asked.scopeId ?? each.location.scopeId) === each.location.scopeId &&
      (asked.band ?? each.band) === each.band &&
      (asked.riskSeverity ?? each.riskSeverity) === each.riskSeverity &&
      (asked.askedBecause ?? each.askedBecause) === each.askedBecause &&
      (asked.ids?.includes(each.candidateId) ?? true),
  );

const waitedLongest = (a: Asked, b: Asked) =>
  a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.candidateId < b.candidateId ? -1 : 1;

test('the queue has the questions that its filters mean, in order, and their number', async () => {
  const questions = await read((tx) => listQueue(tx, all, {}, 500));
  expect(questions.length).toBeGreaterThan(60);
  await fc.assert(
    fc.asyncProperty(reader, filter, fc.constantFrom(...QUEUE_SORTS), async (visibility, asked, sort) => {
      const wanted = expected(questions, visibility, asked);
      if (sort !== '-value') wanted.sort(waitedLongest);
      if (sort === '-created') wanted.reverse();
      const shown = await read((tx) => listQueue(tx, visibility, asked, 20, { sort }));
      expect(shown.map(({ candidateId }) => candidateId)).toEqual(
        wanted.slice(0, 20).map(({ candidateId }) => candidateId),
      );
      const total = { total: wanted.length, totalIsExact: true };
      expect(await read((tx) => countQuestions(tx, visibility, asked))).toEqual(total);
    }),
    { numRuns: propertyRuns(150) },
  );
});

const countsOf = (values: readonly (string | null)[]) => {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Object.fromEntries([...counts].sort());
};

test('facets count the questions of the queue, and name nothing of another domain', async () => {
  const questions = await read((tx) => listQueue(tx, all, {}, 500));
  await fc.assert(
    fc.asyncProperty(reader, filter, async (visibility, asked) => {
      const wanted = expected(questions, visibility, asked);
      const { counted, isExact, facets } = await read((tx) => queueFacets(tx, visibility, asked));
      expect({ counted, isExact }).toEqual({ counted: wanted.length, isExact: true });
      const shown = Object.fromEntries(
        Object.entries(facets).map(([facet, values]) => [
          facet,
          Object.fromEntries(values.map(({ value, count }) => [value, count]).sort()),
        ]),
      );
      expect(shown).toEqual({
        domainId: countsOf(wanted.map(({ domainId }) => domainId)),
        informationTypeId: countsOf(
          wanted.flatMap(({ types }) => types.map(({ informationTypeId }) => informationTypeId)),
        ),
        scopeId: countsOf(wanted.map(({ location }) => location.scopeId)),
        band: countsOf(wanted.map(({ band }) => band)),
        riskSeverity: countsOf(wanted.map(({ riskSeverity }) => riskSeverity)),
        askedBecause: countsOf(wanted.map(({ askedBecause }) => askedBecause)),
      });
    }),
    { numRuns: propertyRuns(80) },
  );
});

test('the export has all questions of the filter, in the order of the queue', async () => {
  const questions = await read((tx) => listQueue(tx, all, {}, 500));
  await fc.assert(
    fc.asyncProperty(reader, filter, async (visibility, asked) => {
      const wanted = expected(questions, visibility, asked).map(({ candidateId }) => candidateId);
      const exported: string[] = [];
      for await (const page of questionPages(read, visibility, asked))
        exported.push(...page.map(({ candidateId }) => candidateId));
      expect(exported).toEqual(wanted);
      const paged: string[] = [];
      let after: Asked | null = null;
      do {
        const place: Asked | null = after;
        const page: Asked[] = await read((tx) =>
          listQueue(tx, visibility, asked, 7, { look: null, after: place }),
        );
        paged.push(...page.map(({ candidateId }) => candidateId));
        after = page.at(-1) ?? null;
      } while (after !== null);
      expect(paged).toEqual(wanted);
    }),
    { numRuns: propertyRuns(40) },
  );
});

test('a queue that has more questions than it shows says so, wherever they rank', async () => {
  const domainId = 'dom_crowded' as DomainId;
  const [risky, harmless] = [2_100, 40];
  await database.inspect(sql`
    insert into domains (tenant_id, domain_id, name, created_at, updated_at)
    values (${DEV}, ${domainId}, 'Crowded', now(), now())`);
  await database.inspect(sql`
    insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                        content_version, risk_severity, first_seen_at, last_seen_at, changed_at)
    select ${DEV}, 'ast_crowd_' || n, 'scp_0', 'c' || n, 'Asset', 'p', 'file', 1, 'v', 'c',
           case when n <= ${risky} then 'critical' else 'low' end, now(), now(), now()
      from generate_series(1, ${risky + harmless}::int) as n`);
  await database.inspect(sql`
    insert into candidates (tenant_id, candidate_id, asset_id, domain_id, confidence, band, risk_severity, created_at, updated_at)
    select ${DEV}, 'cnd_crowd_' || n, 'ast_crowd_' || n, ${domainId}, 0.5, 'review',
           case when n <= ${risky} then 'critical' else 'low' end, now(), now()
      from generate_series(1, ${risky + harmless}::int) as n`);
  const principal = { tenantId: DEV, roles: [], ownedDomains: [] } as unknown as Principal;
  const visibility: Visibility = { kind: 'domains', domainIds: [domainId] };
  const queue = (filter: QueueFilter) =>
    read((tx) =>
      readQueue(
        tx,
        { principal, visibility, audit: () => undefined },
        { filter, sort: '-value', limit: 200, excerpts: false },
      ),
    );
  const low = await queue({ riskSeverity: 'low' });
  expect(low).toMatchObject({ total: harmless, totalIsExact: true });
  expect(low.truncated).toBe(low.items.length < harmless);
  const named = await queue({ q: 'asset' });
  expect(named).toMatchObject({ truncated: true, totalIsExact: false });
  expect(await queue({ q: 'nowhere' })).toMatchObject({ items: [], truncated: true, totalIsExact: false });
});

test('a filter is applied to the first candidates alone if there are very many', async () => {
  const questions = await read((tx) => listQueue(tx, all, {}, 500));
  const rarest = questions.at(-1)?.askedBecause;
  const shown = await read((tx) => listQueue(tx, all, { askedBecause: rarest }, 200, { look: 1 }));
  // One candidate of each domain was looked at.
  expect(shown.length).toBeLessThanOrEqual(3);
});
