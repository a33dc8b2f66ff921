import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlState } from '../../core/db/errors.ts';
import { type Statement, sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import { noteOverdueAttestations } from '../../core/governance/note-overdue-attestations.ts';
import { knownPeople } from '../../core/governance/owner-evidence.sql.ts';
import {
  attestationsOf,
  endActiveAssignment,
  insertAssignment,
  lockActiveAssignment,
  recordAttestation,
  setAttestationDays,
} from '../../core/governance/owners.sql.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import type { TestDatabase } from '../support/database.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { DEV, inOther, OTHER, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const DAY = 24 * 3_600_000;
const SEEDED_AT = Date.now();
/** Nothing that is seeded is overdue for long after. */
const AT = SEEDED_AT - 300 * DAY;
const RESTRICT_VIOLATION = '23001';
const INSUFFICIENT_PRIVILEGE = '42501';

let database: TestDatabase;

beforeAll(async () => {
  database = await createSeededDatabase();
});
afterAll(() => database.drop());

const inTenant = <T>(fn: (tx: Tx) => Promise<T>, tenantId: TenantId = DEV) =>
  withTx(database.db, { tenantId, mode: 'write' }, fn);
const refusal = (statement: Statement) =>
  inTenant((tx) => tx.execute(statement)).then((count) => `${count} rows`, sqlState);

/** An assignment of the finance owner that was made at `AT`; of one kind there can be one to a domain. */
async function assigned(
  domainId: string,
  attestationDays: number | null,
  kind: 'owner' | 'steward' = 'owner',
) {
  const of = { principalId: PERSONA.financeOwner, domainId, kind, attestationDays };
  const assignmentId = await inTenant((tx) => insertAssignment(tx, of, AT));
  expect(assignmentId).toMatch(/^own_/);
  return assignmentId ?? '';
}
const row = async (assignmentId: string) =>
  (
    await database.inspect<{
      attested_at: Date | null;
      ended_at: Date | null;
      attestation_due_at: Date | null;
    }>(sql`select * from owner_assignments where assignment_id = ${assignmentId}`)
  )[0];

describe('an assignment', () => {
  test('is due by whole days, whatever the clocks of a time zone do', async () => {
    const assignmentId = await assigned('dom_legal', 180);
    expect((await row(assignmentId))?.attestation_due_at).toEqual(new Date(AT + 180 * DAY));
    const attestedAt = Date.parse('2026-01-05T08:00:00Z');
    await inTenant(async (tx) => {
      await tx.execute(sql`set local time zone 'Europe/Berlin'`);
      await recordAttestation(tx, assignmentId, attestedAt);
    });
    expect((await row(assignmentId))?.attestation_due_at).toEqual(new Date(attestedAt + 180 * DAY));
    const without = await assigned('dom_legal', null, 'steward');
    expect((await row(without))?.attestation_due_at).toBeNull();
  });

  test('is due by another period at once, from when it was attested last', async () => {
    const assignmentId = await assigned('dom_information_security', 30);
    const dueAfter = async (days: number | null) => {
      await inTenant((tx) => setAttestationDays(tx, assignmentId, days));
      return (await row(assignmentId))?.attestation_due_at;
    };
    expect(await dueAfter(10)).toEqual(new Date(AT + 10 * DAY));
    await inTenant((tx) => recordAttestation(tx, assignmentId, AT + 5 * DAY));
    expect(await dueAfter(730)).toEqual(new Date(AT + 735 * DAY));
    expect(await dueAfter(null)).toBeNull();
    expect(await row(assignmentId)).toMatchObject({ attested_at: new Date(AT + 5 * DAY) });
    await inTenant((tx) => endActiveAssignment(tx, assignmentId, AT + 6 * DAY));
  });

  test('that has ended never changes again, nor does who has which domain', async () => {
    const assignmentId = await assigned('dom_product', null);
    await inTenant((tx) => endActiveAssignment(tx, assignmentId, AT + DAY));
    for (const [column, values] of [
      ...['ended_at', 'attested_at', 'overdue_noted_at'].map(
        (column) => [column, [sql`null`, sql`now()`]] as const,
      ),
      ['attestation_days', [sql`null`, sql`30`]] as const,
    ])
      for (const value of values)
        expect(
          await refusal(
            sql`update owner_assignments set ${sql.ident(column)} = ${value} where assignment_id = ${assignmentId}`,
          ),
          column,
        ).toBe(RESTRICT_VIOLATION);
    for (const column of ['principal_id', 'domain_id', 'kind', 'created_at'])
      expect(
        await refusal(sql`update owner_assignments set ${sql.ident(column)} = ${sql.ident(column)}`),
        column,
      ).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await refusal(sql`delete from owner_assignments`)).toBe(INSUFFICIENT_PRIVILEGE);
    // Nor is one made that has ended, or was attested, before it began.
    expect(
      await refusal(sql`
        insert into owner_assignments (tenant_id, assignment_id, principal_id, domain_id, created_at, ended_at)
        values (${DEV}, 'own_made_up', ${PERSONA.financeOwner}, 'dom_product', now(), now())`),
    ).toBe(INSUFFICIENT_PRIVILEGE);
  });

  test('is told of to whom it is of', async () => {
    const at = SEEDED_AT + 175 * DAY;
    const mine = await inTenant((tx) => attestationsOf(tx, { principalId: PERSONA.peopleOwner }, at));
    expect(mine.map(({ domainId, attestation }) => [domainId, attestation.state])).toEqual([
      ['dom_health_and_safety', 'current'],
      ['dom_human_resources', 'due'],
    ]);
  });
});

describe('the known people', () => {
  test('are each told of once, with the role granted, claimed or both', async () => {
    await database.inspect(sql`
      insert into principal_roles (tenant_id, principal_id, role, source)
      values (${DEV}, ${PERSONA.financeOwner}, 'domain_owner', 'claimed'), (${DEV}, ${PERSONA.nobody}, 'domain_owner', 'claimed')`);
    const people = await inTenant((tx) => knownPeople(tx, 'dom_finance', []));
    const holders = people
      .filter(({ holdsRole }) => holdsRole)
      .map(({ principalId }) => principalId)
      .filter((principalId) => [PERSONA.financeOwner, PERSONA.nobody].some((each) => each === principalId));
    expect(holders).toEqual([PERSONA.financeOwner, PERSONA.nobody]);
    expect(new Set(people.map(({ principalId }) => principalId)).size).toBe(people.length);
    expect(people.find(({ principalId }) => principalId === PERSONA.financeOwner)).toMatchObject({
      ...{ directoryId: PERSONA.financeOwner, mayOwn: true, currentKinds: ['owner'] },
    });
  });

  test('include whom the directory names, however many there are', async () => {
    await database.inspect(sql`
      insert into principals (tenant_id, principal_id, directory_id, display_name, status, kind)
      select ${DEV}, 'pri_zz_' || n, 'dir_zz_' || n, 'Z ' || n, case n when 2 then 'disabled' else 'active' end,
             case n when 3 then 'service' else 'person' end
        from generate_series(1, 5000) n`);
    const asked = ['dir_zz_5000', 'dir_zz_2', 'dir_zz_3', 'dir_nobody'];
    const people = await inTenant((tx) => knownPeople(tx, 'dom_finance', asked));
    expect(people).toHaveLength(5_000);
    expect(people.slice(0, 3).map(({ principalId, mayOwn }) => [principalId, mayOwn])).toEqual([
      ['pri_zz_2', false],
      ['pri_zz_3', false],
      ['pri_zz_5000', true],
    ]);
    expect(people.some(({ principalId }) => principalId === PERSONA.financeOwner)).toBe(true);
    await database.inspect(sql`delete from principals where principal_id like 'pri_zz_%'`);
  });
});

describe('two at once', () => {
  /** Runs `first` and, before it commits, `second`, which has to wait for it. */
  async function overlapping<A, B>(
    first: (tx: Tx) => Promise<A>,
    second: (tx: Tx) => Promise<B>,
  ): Promise<[A, B]> {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: over, resolve: finish } = Promise.withResolvers<void>();
    const one = inTenant(async (tx) => {
      const value = await first(tx);
      begin();
      await over;
      return value;
    });
    await begun;
    const two = inTenant(second);
    await expect.poll(() => lockWaits(database)).toBe(1);
    finish();
    return Promise.all([one, two]);
  }

  test('assigning the same make one', async () => {
    const of = {
      ...{ principalId: PERSONA.legalOwner, domainId: 'dom_product' },
      ...{ kind: 'owner' as const, attestationDays: null },
    };
    const [first, second] = await overlapping(
      (tx) => insertAssignment(tx, of, AT),
      (tx) => insertAssignment(tx, of, AT),
    );
    expect([first, second]).toEqual([expect.stringMatching(/^own_/), null]);
  });

  test('who attests after somebody has ended it finds nothing', async () => {
    const assignmentId = await assigned('dom_customers', 30);
    const [ended, found] = await overlapping(
      (tx) => endActiveAssignment(tx, assignmentId, AT + DAY),
      (tx) => lockActiveAssignment(tx, assignmentId),
    );
    expect([ended?.ended, found]).toEqual([true, null]);
    expect(await row(assignmentId)).toMatchObject({ attested_at: null, ended_at: new Date(AT + DAY) });
  });

  test('who ends it after somebody has attested ends what was attested', async () => {
    const assignmentId = await assigned('dom_customers', 30);
    await overlapping(
      async (tx) =>
        (await lockActiveAssignment(tx, assignmentId)) && recordAttestation(tx, assignmentId, AT + DAY),
      (tx) => endActiveAssignment(tx, assignmentId, AT + 2 * DAY),
    );
    expect(await row(assignmentId)).toMatchObject({
      attested_at: new Date(AT + DAY),
      ended_at: new Date(AT + 2 * DAY),
    });
  });

  test('ending it, the second is told when it ended', async () => {
    const assignmentId = await assigned('dom_customers', 30);
    const end = (at: number) => (tx: Tx) => endActiveAssignment(tx, assignmentId, at);
    const [first, second] = await overlapping(end(AT + DAY), end(AT + 2 * DAY));
    expect([first, second]).toMatchObject([
      { ended: true, endedAt: new Date(AT + DAY) },
      { ended: false, endedAt: new Date(AT + DAY) },
    ]);
  });
});

describe('the sweep', () => {
  const sweep = (at: number) =>
    noteOverdueAttestations({ db: database.db, clock: () => at }, new AbortController().signal);
  const audited = async (tenantId: TenantId) =>
    (
      await database.inspect<{ record: string }>(sql`
        select record from audit_events where tenant_id = ${tenantId} and record like '%attestation_overdue%' order by seq`)
    ).map(({ record }) => JSON.parse(record).event);

  test('audits each overdue attestation once for its date, in every tenant', async () => {
    const assignmentId = await assigned('dom_human_resources', 30);
    const here = async () => (await audited(DEV)).filter(({ target }) => target.id === assignmentId);
    await sweep(AT + 30 * DAY - 1);
    expect(await here()).toEqual([]);
    await sweep(AT + 30 * DAY);
    await Promise.all([sweep(AT + 31 * DAY), sweep(AT + 31 * DAY)]);
    expect(await here()).toMatchObject([
      {
        category: 'governance',
        type: 'attestation_overdue',
        principalId: null,
        target: { kind: 'owner_assignment', id: assignmentId },
        details: { domainId: 'dom_human_resources', principalId: PERSONA.financeOwner },
      },
    ]);
    await inTenant((tx) => recordAttestation(tx, assignmentId, AT + 40 * DAY));
    await sweep(AT + 70 * DAY - 1);
    expect(await here()).toHaveLength(1);
    await sweep(AT + 70 * DAY);
    expect(await here()).toHaveLength(2);

    // By a longer period it is not overdue, and by the old one again it is what was told already.
    const setDays = (days: number) => inTenant((tx) => setAttestationDays(tx, assignmentId, days));
    await setDays(60);
    await sweep(AT + 99 * DAY);
    await setDays(30);
    await sweep(AT + 99 * DAY);
    expect(await here()).toHaveLength(2);
    await setDays(60);
    await sweep(AT + 100 * DAY);
    expect(await here()).toHaveLength(3);

    // Of what has ended nothing is asked any more.
    await inTenant((tx) => recordAttestation(tx, assignmentId, AT + 101 * DAY));
    await inTenant((tx) => endActiveAssignment(tx, assignmentId, AT + 102 * DAY));
    expect(await audited(OTHER)).toEqual([]);
    const late = SEEDED_AT + 200 * DAY;
    await Promise.all([sweep(late), sweep(late)]);
    expect(await here()).toHaveLength(3);
    const there = await audited(OTHER);
    expect(there.map(({ details }) => details.principalId)).toContain(inOther(PERSONA.legalOwner));
    expect(new Set(there.map(({ target }) => target.id)).size).toBe(there.length);
  });
});
