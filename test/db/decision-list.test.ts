import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Visibility } from '../../core/authz/principal.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import { decisionPages } from '../../core/exports/export-decisions.ts';
import type { DomainId, PrincipalId } from '../../core/kernel/ids.ts';
import {
  countDecisions,
  DECISION_SORTS,
  type DecisionFilter,
  type ListedDecision,
  listDecisions,
} from '../../core/review/decision-list.sql.ts';
import type { TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const DOMAINS = ['dom_finance', 'dom_human_resources'] as DomainId[];
const PEOPLE = [PERSONA.financeOwner, PERSONA.peopleOwner] as PrincipalId[];
const TYPES = ['ift_invoices', 'ift_payroll'];
const DECISIONS = ['mine', 'not_a_match', 'need_more_evidence'] as const;
const ASSETS = 30;
const START = Date.parse('2026-03-01T00:00:00Z');
const DAY = 24 * 3_600_000;

let database: TestDatabase;
let all: ListedDecision[];

const read = <T>(fn: (tx: Tx) => Promise<T>) => withTx(database.db, { tenantId: DEV, mode: 'read' }, fn);
const readerOf = (visibility: Visibility, principalId: PrincipalId) => ({
  principalId,
  visibility,
  revisableSince: new Date(START + 10 * DAY),
});

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 0 });
  await database.inspect(sql`
    insert into connector_instances (tenant_id, connector_instance_id, family, mode, created_at)
    values (${DEV}, 'con_shared', 'm365', 'mock', now())`);
  await database.inspect(sql`
    insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, created_at)
    values (${DEV}, 'scp_shared', 'con_shared', 'm365', 's', 'Shared', 'site', now())`);
  await database.inspect(sql`
    insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                        content_version, first_seen_at, last_seen_at, changed_at)
    select ${DEV}, 'ast_' || n, 'scp_shared', 'x' || n, 'Copy', 'p', 'file', 1, 'v', 'c', now(), now(), now()
      from generate_series(1, ${ASSETS}::int) as n`);
  // Both domains are asked about each asset, and each has decided on two thirds of them.
  await database.inspect(sql`
    insert into candidates (tenant_id, candidate_id, asset_id, domain_id, information_type_id, confidence, band, status,
                            created_at, updated_at)
    select ${DEV}, concat('cnd_', n, '_', d), 'ast_' || n, (${DOMAINS}::text[])[d], (${TYPES}::text[])[d], 0.9, 'high', 'pending',
           now(), now()
      from generate_series(1, ${ASSETS}::int) as n cross join generate_series(1, 2) as d`);
  await database.inspect(sql`
    insert into decisions (tenant_id, decision_id, candidate_id, asset_id, principal_id, decision, training_eligible, revision,
                           evidence, created_at)
    select ${DEV}, concat('dec_', d, '_', n, '_', r), concat('cnd_', n, '_', d), 'ast_' || n, (${PEOPLE}::text[])[1 + (n + r) % 2],
           (${[...DECISIONS]}::text[])[1 + (n + r) % 3], false, r, jsonb_build_object('assetName', '=1+' || n),
           ${new Date(START)}::timestamptz + (n % 20 + r) * interval '1 day'
      from generate_series(1, ${ASSETS}::int) as n cross join generate_series(1, 2) as d cross join generate_series(1, 2) as r
     where (n + d) % 3 > 0`);
  const reader = readerOf({ kind: 'domains', domainIds: DOMAINS }, PEOPLE[0] as PrincipalId);
  all = await read((tx) => listDecisions(tx, reader, { by: 'anyone' }, 1_000));
});
afterAll(() => database.drop());

const day = (n: number) => new Date(START + n * DAY).toISOString();
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const filters: fc.Arbitrary<DecisionFilter> = fc.record({
  by: maybe(fc.constantFrom('me', 'anyone')),
  principalId: maybe(fc.constantFrom(...PEOPLE, 'pri_nobody')),
  domainId: maybe(fc.constantFrom(...DOMAINS, 'dom_nowhere')),
  informationTypeId: maybe(fc.constantFrom(...TYPES)),
  decision: maybe(fc.constantFrom(...DECISIONS)),
  decidedFrom: maybe(fc.integer({ min: 0, max: 25 }).map(day)),
  decidedBefore: maybe(fc.integer({ min: 0, max: 25 }).map(day)),
});
const readers = fc.record({
  visibility: fc.subarray(DOMAINS).map((domainIds): Visibility => ({ kind: 'domains', domainIds })),
  principalId: fc.constantFrom(...PEOPLE),
});

const wantedOf = (
  { visibility, principalId }: { visibility: Visibility; principalId: PrincipalId },
  filter: DecisionFilter,
) =>
  all.filter(
    (each) =>
      visibility.kind === 'domains' &&
      visibility.domainIds.some((id) => id === each.domainId) &&
      ((filter.by ?? (filter.principalId === undefined ? 'me' : 'anyone')) === 'anyone' ||
        each.principalId === principalId) &&
      (filter.principalId ?? each.principalId) === each.principalId &&
      (filter.domainId ?? each.domainId) === each.domainId &&
      (filter.informationTypeId ?? each.informationTypeId) === each.informationTypeId &&
      (filter.decision ?? each.decision) === each.decision &&
      (filter.decidedFrom === undefined || each.decidedAt >= filter.decidedFrom) &&
      (filter.decidedBefore === undefined || each.decidedAt < filter.decidedBefore),
  );

const idsOf = (decisions: readonly ListedDecision[]) => decisions.map(({ decisionId }) => decisionId);

test('the list has the decisions that its filters mean, in order, and their number', async () => {
  expect(all).toHaveLength(2 * 2 * 20);
  expect(all.map(({ decidedAt }) => decidedAt)).toEqual(
    all
      .map(({ decidedAt }) => decidedAt)
      .sort()
      .reverse(),
  );
  await fc.assert(
    fc.asyncProperty(readers, filters, fc.constantFrom(...DECISION_SORTS), async (who, filter, sort) => {
      const reader = readerOf(who.visibility, who.principalId);
      const wanted = idsOf(wantedOf(who, filter));
      if (sort === 'decided') wanted.reverse();
      expect(idsOf(await read((tx) => listDecisions(tx, reader, filter, 15, { sort })))).toEqual(
        wanted.slice(0, 15),
      );
      const after = wanted[2];
      if (after !== undefined) {
        const later = await read((tx) => listDecisions(tx, reader, filter, 15, { sort, after }));
        expect(idsOf(later)).toEqual(wanted.slice(3, 18));
      }
      const total = { total: wanted.length, totalIsExact: true };
      expect(await read((tx) => countDecisions(tx, reader, filter))).toEqual(total);
    }),
    { numRuns: propertyRuns(150) },
  );
});

test('the export has what the list has, and nothing of another domain', async () => {
  const who = {
    visibility: { kind: 'domains', domainIds: DOMAINS.slice(0, 1) } as const,
    principalId: PEOPLE[0] as PrincipalId,
  };
  const rows: ListedDecision[] = [];
  for await (const page of decisionPages(read, readerOf(who.visibility, who.principalId), { by: 'anyone' }))
    rows.push(...page);
  expect(rows).toEqual(wantedOf(who, { by: 'anyone' }).map((each) => ({ ...each })));
  expect(new Set(rows.map(({ domainId }) => domainId))).toEqual(new Set(['dom_finance']));
});
