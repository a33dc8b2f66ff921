import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AssetSummary } from '../../core/assets/asset-schema.ts';
import type { Visibility } from '../../core/authz/principal.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import type { DomainId } from '../../core/kernel/ids.ts';
import { SEVERITIES } from '../../core/kernel/vocabulary.ts';
import { isStopWord, words } from '../../core/kernel/words.ts';
import { type AssetList, listAssets } from '../../core/search/asset-list.sql.ts';
import type { AssetPlace } from '../../core/search/newest-placements.sql.ts';
import { storeScanned } from '../support/assets.ts';
import type { TestDatabase } from '../support/database.ts';
import { nodesOf, type PlanNode, queriesOf } from '../support/plans.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { tellWords } from '../support/searched-tenant.ts';
import { DEV } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

/** More than a search for a part looks at before it asks an index. */
const ASSETS = 300;
const STEPS = 700;
const PAGE = 20;
const SHOWN = 3 * PAGE;
/** More than the names are told apart of in one search. */
const DOMAINS = Array.from({ length: 18 }, (_, n) => `dom_of_test_${n}` as DomainId);
const TYPE_WORDS = ['alpha', 'amber', 'ledger', 'zinc'];
const TYPES = DOMAINS.flatMap((domainId, n) =>
  [0, 1].map((m) => ({
    domainId,
    typeId: `ift_of_test_${n}_${m}`,
    nameWords: [`${TYPE_WORDS[(n + m) % 4]}`, m === 0 ? 'kind' : 'sort'],
  })),
);
const LABELS = ['labeled', 'unlabeled', 'unknown'] as const;
const STATUSES = ['pending', 'deferred', 'confirmed', 'rejected', 'routed', 'withdrawn'] as const;
const NAMES = [
  'alpha',
  'Amber+x',
  "o'hara",
  'back\\slash',
  'a@b',
  'up/down',
  '"quoted"',
  'délta',
  '契約書',
  '@dom',
  '#tag',
  '~til',
  '50%_',
  ':*&|',
];
const TEXT_WORDS = ['amber', 'dividend', 'tag'];
const KINDS = ['credit_card', 'til_amber'];

let database: TestDatabase;

const step = fc.record({
  asset: fc.nat(ASSETS - 1),
  act: fc.oneof(
    fc.record({
      set: fc.constant('name' as const),
      to: fc.array(fc.constantFrom(...NAMES), { maxLength: 3 }),
    }),
    fc.record({ set: fc.constant('status' as const), to: fc.constantFrom('active', 'active', 'deleted') }),
    fc.record({ set: fc.constant('label' as const), to: fc.constantFrom(...LABELS) }),
    fc.record({ set: fc.constant('risk' as const), to: fc.constantFrom(null, ...SEVERITIES) }),
    fc.record({ set: fc.constant('moment' as const), to: fc.nat(5) }),
    fc.record({
      set: fc.constant('words' as const),
      to: fc.subarray(TEXT_WORDS),
      kinds: fc.subarray(KINDS),
    }),
    ...[1, 2].map(() =>
      fc.record({
        set: fc.constant('candidate' as const),
        // Often one of the first few domains.
        to: fc.oneof(fc.nat(3), fc.nat(TYPES.length - 1)),
        typed: fc.boolean(),
        status: fc.constantFrom(...STATUSES),
        confidence: fc.constantFrom(0.3, 0.6, 0.9),
      }),
    ),
  ),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const idOf = (n: number) => `ast_of_test_${n}`;
const texts = new Map<string, string[]>();

async function perform(tx: Tx, { asset, act }: Step): Promise<void> {
  const assetId = idOf(asset);
  const one = sql`tenant_id = ${DEV} and asset_id = ${assetId}`;
  await tx.query(sql`select from assets where ${one} for no key update`);
  switch (act.set) {
    case 'name':
      await tx.query(
        sql`update assets set name = ${act.to.join(' ')}, path = ${act.to.at(-1) ?? ''} where ${one}`,
      );
      return;
    case 'status':
      await tx.query(sql`update assets set status = ${act.to} where ${one}`);
      return;
    case 'label':
      await tx.query(sql`update assets set label_state = ${act.to} where ${one}`);
      return;
    case 'risk':
      await tx.query(sql`update assets set risk_severity = ${act.to} where ${one}`);
      return;
    case 'moment':
      await tx.query(
        sql`update assets set changed_at = ${new Date(Date.UTC(2026, 1, 1 + act.to))} where ${one}`,
      );
      return;
    case 'words':
      texts.set(assetId, [...act.to, ...act.kinds.flatMap(words)]);
      await tellWords(tx, assetId, act.to, act.kinds);
      return;
    case 'candidate': {
      const { domainId, typeId } = TYPES[act.to] ?? { domainId: '', typeId: '' };
      await tx.query(sql`
        insert into candidates as k (tenant_id, candidate_id, asset_id, domain_id, information_type_id, confidence, band,
                                     status, created_at, updated_at)
        values (${DEV}, ${`cnd_${asset}_${act.to}_${act.typed}`}, ${assetId}, ${domainId}, ${act.typed ? typeId : null},
                ${act.confidence}, 'review', ${act.status}, now(), now())
        on conflict on constraint candidates_once do update
          set status = excluded.status, confidence = excluded.confidence, revision = k.revision + 1`);
    }
  }
}

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 0 });
  // Candidates go here from any state to any other, which is more than people can do.
  await database.inspect(sql`alter table candidates disable trigger candidates_transition`);
  await database.inspect(sql`
    insert into domains (tenant_id, domain_id, name, created_at, updated_at)
    select ${DEV}, d, d, now(), now() from unnest(${DOMAINS}::text[]) as d`);
  await database.inspect(sql`
    insert into information_types (tenant_id, information_type_id, domain_id, name, created_at, updated_at)
    select ${DEV}, i, d, n, now(), now()
      from unnest(${TYPES.map((t) => t.typeId)}::text[], ${TYPES.map((t) => t.domainId)}::text[],
                  ${TYPES.map((t) => t.nameWords.join(' '))}::text[]) as t (i, d, n)`);
  await storeScanned(
    database.db,
    DEV,
    Array.from({ length: ASSETS }, (_, n) => ({
      assetId: idOf(n),
      name: `${NAMES[n % NAMES.length]} ${n % 15 === 0 ? 'rare' : 'seldom'}${n % 7}`,
      path: n % 15 === 0 ? 'rare' : 'p',
      format: 'fmt',
      seenAt: Date.UTC(2026, 1, n % 30 === 15 ? 1 : 2 + (n % 5)),
    })),
  );
  await database.inspect(sql`
    insert into candidates (tenant_id, candidate_id, asset_id, domain_id, information_type_id, confidence, band,
                            created_at, updated_at)
    select ${DEV}, concat('cnd_', n, '_', d), 'ast_of_test_' || n, 'dom_of_test_' || d, 'ift_of_test_' || d || '_' || n % 2,
           0.5, 'review', now(), now()
      from generate_series(0, ${ASSETS - 1}::integer) as n cross join generate_series(0, 2) as d where n % (d + 2) > 0`);
  // The same world in each run, so that what fails can be looked at again.
  const steps = fc.sample(step, { numRuns: STEPS, seed: 41 });
  for (let n = 0; n < steps.length; n += 20) {
    await withTx(database.db, { tenantId: DEV, mode: 'write' }, async (tx) => {
      for (const each of steps.slice(n, n + 20)) await perform(tx, each);
    });
  }
});
afterAll(() => database.drop());

type Truth = {
  asset_id: string;
  name: string;
  path: string;
  format: string;
  label_state: string;
  risk_severity: string | null;
  changed_at: Date;
  ties: { domainId: string; typeId: string | null }[];
};

/** Of all active assets, in the order of the list. */
const readTruth = () =>
  database.inspect<Truth>(sql`
    select a.asset_id, a.name, a.path, a.format, a.label_state, a.risk_severity, a.changed_at,
           coalesce((select jsonb_agg(jsonb_build_object('domainId', k.domain_id, 'typeId', k.information_type_id))
              from candidates k where k.tenant_id = a.tenant_id and k.asset_id = a.asset_id
               and k.status in ('pending', 'deferred', 'confirmed')), '[]') as ties
      from assets a where a.tenant_id = ${DEV} and a.status = 'active'
     order by a.changed_at desc, a.asset_id desc`);

const tiesSeen = ({ ties }: Truth, visibility: Visibility) =>
  ties.filter(
    ({ domainId }) => visibility.kind === 'tenant' || visibility.domainIds.some((id) => id === domainId),
  );

/** What a search means, said plainly: the first of these ways that finds something which the reader may see. */
function expected(
  all: Truth[],
  visibility: Visibility,
  { q, informationTypeId, labelState, riskSeverity }: Filter,
) {
  const seen = all.filter((asset) => visibility.kind === 'tenant' || tiesSeen(asset, visibility).length > 0);
  const sought = words(q ?? '');
  const last = sought.at(-1) ?? '';
  const inWords =
    (isPrefix: boolean, wanted: readonly string[], isEnough: 'every' | 'some') => (asset: Truth) => {
      const named = words(`${asset.name} ${asset.path} ${asset.format}`);
      const is = (word: string, among: readonly string[]) =>
        among.some(
          (each) => each === word || (isPrefix && word === last && word.length >= 3 && each.startsWith(word)),
        );
      const inAsset = (word: string) => is(word, named) || (texts.get(asset.asset_id) ?? []).includes(word);
      const types = TYPES.filter((type) =>
        tiesSeen(asset, visibility).some(({ typeId }) => typeId === type.typeId),
      );
      return (
        wanted[isEnough](inAsset) ||
        types.some(({ nameWords }) => wanted[isEnough]((word) => is(word, nameWords) || inAsset(word)))
      );
    };
  const part = (q ?? '').toLowerCase();
  const hasPart = ({ name, path, format }: Truth) =>
    /[\p{L}\p{N}]{3}/u.test(part)
      ? `${name}\n${path}\n${format}`.toLowerCase().includes(part)
      : name.toLowerCase().startsWith(part);
  const some = sought.length > 1 ? sought.filter((word) => !isStopWord(word)) : [];
  const ways = [
    ...(sought.length === 0 ? [] : [inWords(false, sought, 'every'), inWords(true, sought, 'every')]),
    hasPart,
    inWords(false, some, 'some'),
  ];
  const found = q === undefined ? seen : seen.filter(ways.find((way) => seen.some(way)) ?? hasPart);
  return found.filter(
    (asset) =>
      (informationTypeId === undefined ||
        tiesSeen(asset, visibility).some(({ typeId }) => typeId === informationTypeId)) &&
      (labelState === undefined || asset.label_state === labelState) &&
      (riskSeverity === undefined || asset.risk_severity === riskSeverity),
  );
}

type Filter = Parameters<typeof listAssets>[2];

async function pages(visibility: Visibility, filter: Filter): Promise<AssetSummary[]> {
  return withTx(database.db, { tenantId: DEV, mode: 'read' }, async (tx) => {
    const all: AssetSummary[] = [];
    let after: AssetPlace | null = null;
    for (;;) {
      const { assets: page }: AssetList = await listAssets(tx, visibility, filter, PAGE, { after });
      all.push(...page);
      if (page.length < PAGE || all.length === SHOWN) return all;
      after = page.at(-1) ?? null;
    }
  });
}

/** Of names, types and texts; of few old ones; unfinished; parts; whatever else is no word. */
const q = fc.oneof(
  fc
    .array(fc.constantFrom(...NAMES, ...TYPE_WORDS, ...TEXT_WORDS, 'kind', 'card'), {
      minLength: 1,
      maxLength: 3,
    })
    .map((each) => each.join(' ')),
  fc.constantFrom('rare', 'fmt rare', 'fmt rar', 'fmt rare sort', 'fmt seldom1', 'rare kind'),
  fc.constantFrom(
    'alp',
    'amb',
    'amber led',
    'dividend alp',
    'alpha kin',
    'fm',
    'absent',
    'lpha',
    'lash',
    'ack\\sl',
  ),
  fc.constantFrom('a@', '契約', '%', '"', "'", '@', 'p/do'),
);
const domainIds = fc.oneof(
  fc.constantFrom([], DOMAINS.slice(0, 1), DOMAINS.slice(0, 1), DOMAINS.slice(0, 3), DOMAINS),
  fc.subarray(DOMAINS, { minLength: 1, maxLength: 3 }),
);
const visibility = fc.oneof(
  fc.constant<Visibility>({ kind: 'tenant' }),
  ...[1, 2, 3].map(() => domainIds.map((ids): Visibility => ({ kind: 'domains', domainIds: ids }))),
);
const atTimes = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof(...[1, 2].map(() => fc.constant(undefined)), arbitrary);
const filter: fc.Arbitrary<Filter> = fc.record({
  q: fc.option(q, { nil: undefined }),
  informationTypeId: atTimes(
    fc.constantFrom(...TYPES.slice(0, 6).map(({ typeId }) => typeId), 'ift_of_test_9_0'),
  ),
  labelState: atTimes(fc.constantFrom(...LABELS)),
  riskSeverity: atTimes(fc.constantFrom(...SEVERITIES)),
});

test('every page shows what the tables hold, and nothing of another domain', async () => {
  const all = await readTruth();
  await fc.assert(
    fc.asyncProperty(visibility, filter, async (reader, asked) => {
      const shown = await pages(reader, asked);
      const wanted = expected(all, reader, asked).slice(0, SHOWN);
      expect(shown.map(({ assetId }) => assetId)).toEqual(wanted.map((asset) => asset.asset_id));
      shown.forEach(({ classification }, n) => {
        const ties = tiesSeen(wanted[n] as Truth, reader);
        if (ties.length === 0) expect(classification).toBeNull();
        else
          expect(ties).toContainEqual({
            domainId: classification?.domainId,
            typeId: asked.informationTypeId ?? classification?.informationTypeId,
          });
      });
    }),
    { numRuns: propertyRuns(120) },
  );
});

test.each([
  ['of another domain', 'ift_of_test_9_0'],
  ['that does not exist', 'ift_of_nowhere'],
])('for an information type %s no placement is looked at', async (_, informationTypeId) => {
  const reader: Visibility = { kind: 'domains', domainIds: DOMAINS.slice(0, 2) };
  const asked = await queriesOf(database.db, DEV, async (tx) => {
    expect((await listAssets(tx, reader, { informationTypeId }, PAGE)).assets).toEqual([]);
  });
  const nodes = await withTx(database.db, { tenantId: DEV, mode: 'read' }, async (tx) => {
    const plans: PlanNode[] = [];
    for (const statement of asked) {
      const [row] = await tx.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
        sql`explain (analyze, format json) ${statement}`,
      );
      plans.push(...(row?.['QUERY PLAN'] ?? []).map(({ Plan }) => Plan));
    }
    return plans.flatMap(nodesOf);
  });
  const placements = nodes.filter((node) => node['Relation Name'] === 'asset_placements');
  expect(placements).not.toEqual([]);
  expect(placements.map((node) => node['Actual Loops'])).toEqual(placements.map(() => 0));
});

/** What came back without a domain keeps words of its former ones, which nobody is shown by. */
test('what search holds of an asset in a domain equals a rebuild', async () => {
  const stored = () =>
    database.inspect(sql`
      select s.asset_id, s.marks, array(select lexeme from unnest(s.words) where left(lexeme, 1) not in ('#', '~')) as words
        from asset_search s
       where s.tenant_id = ${DEV} and s.active and exists (select from unnest(s.marks) as mark where mark like '____dom%')
       order by s.asset_id`);
  const before = await stored();
  await database.inspect(sql`select rebuild_search(${DEV})`);
  expect(before).toEqual(await stored());
});
