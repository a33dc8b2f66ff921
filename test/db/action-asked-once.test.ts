import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ActionRequest } from '../../core/actions/action-schema.ts';
import { draftAction, previewDraft } from '../../core/actions/draft.ts';
import { sql } from '../../core/db/sql.ts';
import { connectorFor } from '../../core/integrations/connector-for.ts';
import { type ActionWorld, createActionWorld, WANTED } from '../support/actions.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;
let world: ActionWorld;
let looks = 0;
beforeAll(async () => {
  database = await createSeededDatabase({ max: 10, itemsPerScope: 1 });
  world = await createActionWorld(database);
  world.parts.connectorOf = (tenantId, family) => {
    const connector = connectorFor(world.parts, tenantId, family);
    return {
      ...connector,
      getItem: (...of) => {
        looks++;
        return connector.getItem(...of);
      },
    };
  };
  await world.makeAsset('ast_1');
});
afterAll(() => database.drop());
beforeEach(() => {
  looks = 0;
});

const request: ActionRequest = {
  kind: 'sensitivity_label_set',
  targetAssetId: 'ast_1',
  justification: 'What it holds calls for it.',
  desiredLabelGuid: WANTED,
};
const actions = () => database.inspect(sql`select from actions where tenant_id = ${DEV}`);

test('what was asked with a key is not looked at again at its source', async () => {
  const by = world.by(PERSONA.financeOwner);
  const asked = { request, key: 'first' };
  const previewed = await previewDraft(world.parts, by, asked);
  expect([previewed?.preview.changes, looks]).toEqual([true, 1]);
  const drafted = await world.inTenant((tx) => draftAction(tx, by, asked, previewed));
  expect(await previewDraft(world.parts, by, asked)).toBeNull();
  expect(looks).toBe(1);
  expect(await world.inTenant((tx) => draftAction(tx, by, asked, null))).toEqual(drafted);
});

test('two that are asked at once with a key are one, and leave one event', async () => {
  const before = (await actions()).length;
  const asked = { request, key: 'at once' };
  const events: string[] = [];
  const by = { ...world.by(PERSONA.financeOwner), audit: ({ type }: { type: string }) => events.push(type) };
  // Both have looked before either is recorded.
  const previews = await Promise.all([1, 2, 3].map(() => previewDraft(world.parts, by, asked)));
  expect(previews.every((each) => each !== null)).toBe(true);
  const drafted = await Promise.all(
    previews.map((each) => world.inTenant((tx) => draftAction(tx, by, asked, each))),
  );
  expect(new Set(drafted.map(({ actionId }) => actionId)).size).toBe(1);
  expect((await actions()).length).toBe(before + 1);
  expect(events).toEqual(['action_drafted']);
});
