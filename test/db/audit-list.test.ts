import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appendAudit } from '../../core/audit/append.sql.ts';
import { type AuditEntry, auditText } from '../../core/audit/event.ts';
import {
  AUDIT_SORTS,
  type AuditFilter,
  countAuditEvents,
  listAuditEvents,
} from '../../core/audit/event-list.sql.ts';
import type { AuditEvent } from '../../core/audit/read.sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import type { PrincipalId } from '../../core/kernel/ids.ts';
import type { TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { DEV } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const EVENTS = 240;
const START = Date.parse('2026-03-01T00:00:00Z');
const HOUR = 3_600_000;
const PEOPLE = ['pri_one', 'pri_two'];

let database: TestDatabase;
let all: AuditEvent[];

const read = <T>(fn: (tx: Tx) => Promise<T>) => withTx(database.db, { tenantId: DEV, mode: 'read' }, fn);
/** Every seventh event is stored five minutes late. */
const timeOf = (n: number) => START + n * HOUR - (n % 7 === 0 ? 5 * 60_000 : 0);

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 0 });
  const texts = Array.from({ length: EVENTS }, (_, n) => {
    const entry: AuditEntry = {
      category: (['config', 'review', 'auth'] as const)[n % 3] ?? 'config',
      type: n % 2 === 0 ? 'decided' : 'decided_twice',
      ...(n % 5 > 0 && { target: { kind: n % 4 === 0 ? 'asset' : 'scope', id: `id_${n % 5}` } }),
      // What looks like a member of the event.
      details: { kind: 'scope', principalId: 'pri_two', type: 'decided', id: 'id_2' },
    };
    const principalId = (n % 11 === 0 ? null : PEOPLE[n % 2]) as PrincipalId | null;
    return auditText({ tenantId: DEV, principalId, correlationId: 'one', now: timeOf(n) }, entry);
  });
  await withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) => appendAudit(tx, texts));
  all = await read((tx) => listAuditEvents(tx, {}, 1_000));
});
afterAll(() => database.drop());

const iso = (hour: number) => new Date(START + hour * HOUR).toISOString();
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const filters = fc.record({
  category: maybe(fc.constantFrom('config', 'review', 'auth', 'model')),
  type: maybe(fc.constantFrom('decided', 'decided_twice', 'decid')),
  principalId: maybe(fc.constantFrom(...PEOPLE, 'pri')),
  targetKind: maybe(fc.constantFrom('asset', 'scope')),
  targetId: maybe(fc.constantFrom('id_1', 'id_2', 'id')),
  from: maybe(fc.integer({ min: -5, max: EVENTS + 5 }).map(iso)),
  before: maybe(fc.integer({ min: -5, max: EVENTS + 5 }).map(iso)),
}) as fc.Arbitrary<AuditFilter>;

const meets = (event: AuditEvent, filter: AuditFilter) =>
  event.category === (filter.category ?? event.category) &&
  event.type === (filter.type ?? event.type) &&
  (filter.principalId === undefined || event.principalId === filter.principalId) &&
  (filter.targetKind === undefined || event.target?.kind === filter.targetKind) &&
  (filter.targetId === undefined || event.target?.id === filter.targetId) &&
  (filter.from === undefined || event.at >= filter.from) &&
  (filter.before === undefined || event.at < filter.before);

test('the trail lists the events that its filters mean, in order, and their number', async () => {
  expect(all).toHaveLength(EVENTS);
  await fc.assert(
    fc.asyncProperty(filters, fc.constantFrom(...AUDIT_SORTS), async (filter, sort) => {
      const wanted = all.filter((event) => meets(event, filter));
      if (sort === 'at') wanted.reverse();
      expect(await read((tx) => listAuditEvents(tx, filter, 20, { sort }))).toEqual(wanted.slice(0, 20));
      const total = { total: wanted.length, totalIsExact: true };
      expect(await read((tx) => countAuditEvents(tx, filter, { sort }))).toEqual(total);
    }),
    { numRuns: propertyRuns(200) },
  );
});

test('a filter is applied to the first events alone if there are very many', async () => {
  const filter = { principalId: 'pri_one' };
  const counted = await read((tx) => countAuditEvents(tx, filter, { look: 20 }));
  expect(counted.totalIsExact).toBe(false);
  const shown = await read((tx) => listAuditEvents(tx, filter, 100, { look: 20 }));
  expect(shown).toEqual(all.slice(0, 20).filter((event) => meets(event, filter)));
  expect(counted.total).toBe(shown.length);
  const bounded = { ...filter, from: iso(10), before: iso(20) };
  const inTime = await read((tx) => listAuditEvents(tx, bounded, 100, { look: 20 }));
  expect(inTime).toEqual(all.filter((event) => meets(event, bounded)));
});

test('an id with signs of a pattern or of JSON means itself', async () => {
  for (const filter of [
    { principalId: 'pri%' },
    { targetId: 'id_"' },
    { targetId: 'id\\_1' },
    { targetKind: '%' },
  ])
    expect(await read((tx) => listAuditEvents(tx, filter, 10))).toEqual([]);
});
