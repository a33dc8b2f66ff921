import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { sql } from '../../core/db/sql.ts';
import type { DecisionRequestSchema } from '../../core/review/decision.ts';
import { startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { decide, decided, invoices, payroll, reviewIn } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Request = z.input<typeof DecisionRequestSchema>;

/** Every decision there is. */
const REQUESTS = {
  mine: { decision: 'mine' },
  mine_different_type: { decision: 'mine_different_type', correctedInformationTypeId: 'ift_bank_accounts' },
  another_domain: { decision: 'another_domain', routedDomainId: 'dom_human_resources' },
  mine_not_sensitive: { decision: 'mine_not_sensitive' },
  not_a_match: { decision: 'not_a_match' },
  need_more_evidence: { decision: 'need_more_evidence' },
} satisfies Record<Request['decision'], Request>;

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

/** The rows as they lie on disk: what was updated, even to the same values, lies elsewhere. */
const rowsOf = (table: string) =>
  database.inspect<{ place: string; row: string }>(sql`
    select ctid::text || ' ' || xmin::text as place, to_jsonb(t)::text as row from ${sql.ident(table)} t
     where tenant_id = ${DEV} order by ctid`);

test('a decision or its revision changes nothing that was said before', async () => {
  const review = reviewIn(database);
  const finance = await service.signInAs(PERSONA.financeOwner);
  const people = await service.signInAs(PERSONA.peopleOwner);
  const requests = Object.values(REQUESTS);
  const pairs = requests.flatMap((first) => requests.map((second) => ({ first, second })));
  const asked: { candidateId: string; assetId: string }[] = [];
  for (const _ of pairs) asked.push(await review.ask(invoices()));
  const foreign = await review.ask(payroll());
  const before = await rowsOf('inferences');
  expect(before.length).toBe(pairs.length + 1);

  let revised = 0;
  for (const [index, { first, second }] of pairs.entries()) {
    const { candidateId } = asked[index] ?? { candidateId: '' };
    await decided(finance, candidateId, first);
    const said = { decisions: await rowsOf('decisions'), assertions: await rowsOf('assertions') };
    const { status } = await decide(finance, candidateId, second);
    // What was sent away may be taken back as long as nobody there has answered.
    expect(status).toBe(200);
    if (second !== first) revised++;
    // What was said before the revision is still there, untouched; the revision comes after it.
    for (const [table, rows] of Object.entries(said)) {
      expect(await rowsOf(table)).toEqual(expect.arrayContaining(rows));
    }
  }
  expect(revised).toBe(30);
  await decided(people, foreign.candidateId, { decision: 'mine' });
  // What follows a decision, the scoring of related assets again, leaves them as they are too.
  await service.drain();
  expect((await rowsOf('inferences')).slice(0, before.length)).toEqual(before);
});
