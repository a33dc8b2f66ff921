import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import type { DomainId } from '../../core/kernel/ids.ts';
import { ROLES, type Role } from '../../core/kernel/vocabulary.ts';
import { addOwner } from '../support/add-owner.ts';
import { storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { invoices } from '../support/review.ts';
import { DEV } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const ASSET = 'ast_shared';

type Somebody = SignedIn & { roles: readonly Role[] };

let database: TestDatabase;
let service: TestService;
/** One for every set of roles there is. */
let everybody: Somebody[];

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 1 });
  service = await startService(database);
  await storeScanned(database.db, DEV, [{ assetId: ASSET, said: [invoices()] }]);
  everybody = [];
  for (let set = 0; set < 2 ** ROLES.length; set++) {
    const roles = ROLES.filter((_, index) => (set >> index) % 2 === 1);
    const principalId = `pri_set_${set}`;
    await addOwner(database, principalId, { roles, domainId: 'dom_finance' as DomainId });
    everybody.push({ ...(await service.signInAs(principalId)), roles });
  }
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const STEPS = ['submit', 'approve', 'reject', 'repreview', 'withdraw'] as const;

const ask = (who: SignedIn, path: string, step: (typeof STEPS)[number]) =>
  step === 'approve' || step === 'reject'
    ? who.post(`${path}/approval`, { decision: step })
    : who.post(`${path}/${step}`);

const ASKS = ['drafted', 'blocked', 'submitted', 'repreviewed'];
const DECIDES = ['approved', 'rejected'];

type Transition = { trigger: string; principal_id: string | null };

test('no requester of an action decides on it, whatever the roles and the order', async () => {
  const requesters = everybody.filter(({ roles }) => roles.includes('domain_owner'));
  const approvers = everybody.filter(({ roles }) => roles.includes('remediation_approver'));
  const anybody = (list: readonly Somebody[]) => fc.constantFrom(...list);
  let decided = 0;
  let refused = 0;

  await fc.assert(
    fc.asyncProperty(
      anybody(requesters),
      fc.array(fc.tuple(anybody([...requesters, ...approvers]), fc.constantFrom(...STEPS)), { maxLength: 4 }),
      anybody(approvers),
      fc.boolean(),
      async (requester, others, approver, submittedBefore) => {
        const drafted = await requester.post<{ actionId: string }>('/api/actions', {
          kind: 'internal_task',
          targetAssetId: ASSET,
          justification: 'It is asked about every year',
          taskTitle: 'Ask',
        });
        expect(drafted.status).toBe(200);
        const { actionId } = drafted.body;
        const path = `/api/actions/${actionId}`;
        if (submittedBefore) expect((await ask(requester, path, 'submit')).status).toBe(200);
        const calls: readonly (readonly [Somebody, (typeof STEPS)[number]])[] = [
          [requester, 'approve'],
          [requester, 'submit'],
          ...others,
          [approver, 'approve'],
          [requester, 'reject'],
        ];
        const answers = await Promise.all(
          calls.map(async ([who, step]) => ({ who, step, status: (await ask(who, path, step)).status })),
        );
        for (const { who, step, status } of answers) {
          expect([200, 403, 404, 409], `${who.principalId} ${step}`).toContain(status);
          const decision = step === 'approve' || step === 'reject';
          if (decision && who === requester) expect(status, `${who.principalId} ${step}`).not.toBe(200);
          if (decision && status === 409) refused++;
        }
        const transitions = await database.inspect<Transition>(sql`
          select trigger, principal_id from action_transitions where action_id = ${actionId} order by revision`);
        // Somebody may ask for it again after they have decided on an earlier preview, never the other way round.
        for (const [index, { trigger, principal_id }] of transitions.entries()) {
          if (!DECIDES.includes(trigger)) continue;
          decided++;
          const asked = transitions.slice(0, index).filter((each) => ASKS.includes(each.trigger));
          expect(asked.map((each) => each.principal_id)).not.toContain(principal_id);
        }
      },
    ),
    { numRuns: propertyRuns(50) },
  );
  // It was really tried: some were decided by others, and the requester was refused.
  expect(decided).toBeGreaterThan(5);
  expect(refused).toBeGreaterThan(5);
});

describe('the database, whoever writes,', () => {
  const drafted = async () => {
    const [requester] = everybody.filter(({ roles }) => roles.includes('domain_owner'));
    const { body } = (await requester?.post<{ actionId: string }>('/api/actions', {
      kind: 'internal_task',
      targetAssetId: ASSET,
      justification: 'It is asked about every year',
      taskTitle: 'Ask',
    })) ?? { body: { actionId: '' } };
    return body.actionId;
  };

  test('refuses it too', async () => {
    const decide = database.inspect(sql`
      update actions set status = 'rejected', decided_by = requested_by where action_id = ${await drafted()}`);
    await expect(decide).rejects.toThrow(
      /actions_not_by_requester|who asks for an action does not decide on it/,
    );
  });

  test('keeps the preview that was decided on', async () => {
    const actionId = await drafted();
    const approver = everybody.find(({ roles }) => roles.join() === 'remediation_approver');
    await database.inspect(sql`
      update actions set status = 'rejected', decided_by = ${approver?.principalId ?? ''} where action_id = ${actionId}`);
    const exchanged = database.inspect(sql`
      update actions set preview = '{}', updated_at = now() where action_id = ${actionId}`);
    await expect(exchanged).rejects.toThrow('keeps its preview');
  });
});
