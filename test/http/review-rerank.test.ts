import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { refreshRelated } from '../../core/review/refresh-related.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { decided, detailOf, queueOf } from '../support/review.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

/** Who own something in the development tenant, and so see all its open questions between them. */
const OWNERS = [PERSONA.financeOwner, PERSONA.peopleOwner, PERSONA.legalOwner, 'pri_sofia_marchetti'];

let database: TestDatabase;
let service: TestService;
let owners: SignedIn[];

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10 });
  service = await startService(database);
  const admin = await service.signInAs(PERSONA.platformAdmin);
  await admin.post('/api/sources/connect', {});
  const { items } = (await admin.get<{ items: { scopeId: string }[] }>('/api/sources')).body;
  for (const { scopeId } of items)
    expect((await admin.post('/api/scans', { scopeId, kind: 'inventory' })).status).toBe(200);
  await service.drain();
  owners = await Promise.all(OWNERS.map((persona) => service.signInAs(persona)));
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const refresh = () =>
  refreshRelated(database.db, {
    clock: Date.now,
    signal: new AbortController().signal,
    budgetMs: Number.POSITIVE_INFINITY,
  });
type Stored = { candidateId: string; status: string; decisionId: string | null };
const stored = async () => {
  const rows = await database.inspect<Stored>(sql`
    select candidate_id as "candidateId", status, decision_id as "decisionId" from candidates`);
  return new Map(rows.map((row) => [row.candidateId, row]));
};

/** An open question, and one about the same type whose asset is like it in this way, both as their owner reads them. */
async function pairOf(
  kinds: readonly string[],
  reason: string,
  bands: readonly string[] = ['high', 'review'],
) {
  for (const owner of owners) {
    for (const { candidateId } of await queueOf(owner)) {
      const question = await detailOf(owner, candidateId);
      for (const like of question.related.items) {
        if (!kinds.includes(like.kind) || like.status !== 'pending') continue;
        if (like.informationTypeId !== question.informationTypeId) continue;
        const before = await detailOf(owner, like.candidateId);
        const said = before.inference?.contributions.some(({ name }) => name === reason) ?? true;
        if (!said && bands.includes(before.band) && (before.confidence ?? 1) < 0.999)
          return { owner, question, before };
      }
    }
  }
  throw new Error(`nothing open is alike by ${kinds.join()}`);
}

describe.each([
  ['byte-identical copies', ['identical_bytes'], 'confirmed_copies'],
  ['documents much like it', ['near_duplicate', 'same_template'], 'confirmed_near_copies'],
] as const)('a confirmation re-ranks %s', (_, kinds, reason) => {
  test('with the reason, and confirms none of them', async () => {
    const { owner, question, before } = await pairOf(kinds, reason);
    const all = await stored();
    await decided(owner, question.candidateId, { decision: 'mine' });
    await service.drain();

    const after = await detailOf(owner, before.candidateId);
    expect(after.confidence ?? 0).toBeGreaterThan(before.confidence ?? 1);
    expect(after.inference?.contributions).toContainEqual(
      expect.objectContaining({
        name: reason,
        direction: 'for',
        explanation: expect.stringContaining('owners said'),
        evidence: expect.objectContaining({ confirmed: 1, refused: 0 }),
      }),
    );
    expect(after).toMatchObject({ status: 'pending', decisions: { items: [] } });
    expect(after.value).toBeGreaterThanOrEqual(before.value);

    for (const [candidateId, now] of await stored()) {
      if (question.types.some((type) => type.candidateId === candidateId))
        expect(now.status).toBe('confirmed');
      else expect(now).toEqual(all.get(candidateId) ?? { candidateId, status: 'pending', decisionId: null });
    }
    // So that the next pair is met with nothing said.
    await decided(owner, question.candidateId, { decision: 'need_more_evidence' });
    await service.drain();
  });
});

test('the owner who read a question before it was scored again by that is not refused', async () => {
  // A confirmation raises no band above high.
  const { owner, question, before } = await pairOf(['identical_bytes'], 'confirmed_copies', ['high']);
  await decided(owner, question.candidateId, { decision: 'mine' });
  await service.drain();
  const after = await detailOf(owner, before.candidateId);
  expect(after.confidence).not.toBe(before.confidence);
  await decided(owner, before.candidateId, { decision: 'mine', revision: before.revision });
});

test('the re-ranked candidates are counted and listed within the domain alone', async () => {
  await refresh();
  for (const owner of owners) {
    const questions = await queueOf(owner);
    const domainOf = new Map(
      questions.flatMap(({ types, domainId }) => types.map(({ candidateId }) => [candidateId, domainId])),
    );
    const asked = questions.filter(({ relatedCount }) => relatedCount > 0).slice(0, 5);
    expect(asked.length).toBeGreaterThan(0);
    for (const question of [...asked, ...questions.filter((each) => each.relatedCount === 0).slice(0, 2)]) {
      const { related } = await detailOf(owner, question.candidateId);
      expect(new Set(related.items.map(({ assetId }) => assetId)).size).toBe(related.items.length);
      expect([related.items.length, related.truncated]).toEqual([
        Math.min(question.relatedCount, 20),
        question.relatedCount > 20,
      ]);
      for (const { candidateId, status } of related.items)
        if (status === 'pending') expect(domainOf.get(candidateId)).toBe(question.domainId);
    }
  }
});
