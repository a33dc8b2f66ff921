import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { invoices, payroll } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Asset = {
  assetId: string;
  contentState: string;
  contentReason: string | null;
  unreadParts: number | null;
};
type Answer = {
  result: { count: number | null } | null;
  coverage: { labelNotKnown: number };
  notes: string[];
};
type Posture = { domainId: string; assets: number; unlabeled: number | null; labelUnknown: number };

let database: TestDatabase;
let service: TestService;
let finance: SignedIn;
let auditor: SignedIn;

/** State, reason and parts of each asset. The first and the third are of Finance, the second is of People. */
const UNREAD = [
  ['ast_u_1', 'unsupported', 'ocr_off', 3],
  ['ast_u_2', 'unsupported', 'unknown_format', null],
  ['ast_u_3', 'partial', 'encrypted', 2],
  ['ast_u_4', 'inaccessible', null, null],
] as const;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 0 });
  service = await startService(database);
  finance = await service.signInAs(PERSONA.financeOwner);
  auditor = await service.signInAs(PERSONA.auditor);
  await storeScanned(database.db, DEV, [
    { assetId: 'ast_u_0', said: [invoices(0.9)] },
    { assetId: 'ast_u_1', said: [invoices(0.9)], name: 'Scanned invoice.pdf' },
    { assetId: 'ast_u_2', said: [payroll(0.9)] },
    { assetId: 'ast_u_3', said: [invoices(0.9), payroll(0.9)] },
    { assetId: 'ast_u_4' },
  ]);
  for (const [assetId, state, reason, parts] of UNREAD) {
    await database.inspect(sql`
      update assets set content_state = ${state}, content_reason = ${reason}, unread_parts = ${parts}
       where asset_id = ${assetId}`);
  }
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const listed = async (who: SignedIn, query: string) => {
  const { status, body } = await who.get<{ items: Asset[]; truncated: boolean }>(`/api/assets?${query}`);
  expect([status, body.truncated]).toEqual([200, false]);
  return body.items.map(({ assetId }) => assetId).sort();
};

test('the list is narrowed by content state, and says why content was not read', async () => {
  const { body } = await auditor.get<{ items: Asset[] }>('/api/assets');
  const told = body.items.map((one) => [one.assetId, one.contentState, one.contentReason, one.unreadParts]);
  expect(told.sort()).toEqual([['ast_u_0', 'available', null, null], ...UNREAD]);
  expect(await listed(auditor, 'contentState=unsupported')).toEqual(['ast_u_1', 'ast_u_2']);
  expect(await listed(auditor, 'contentState=inaccessible')).toEqual(['ast_u_4']);
  expect(await listed(auditor, 'contentState=available')).toEqual(['ast_u_0']);
  expect(await listed(auditor, 'contentState=not_fetched')).toEqual([]);
});

test('an owner finds the unread files of their domains only', async () => {
  expect(await listed(finance, 'contentState=unsupported')).toEqual(['ast_u_1']);
  expect(await listed(finance, 'contentState=partial')).toEqual(['ast_u_3']);
  expect(await listed(finance, 'contentState=available')).toEqual(['ast_u_0']);
  expect(await listed(finance, 'contentState=inaccessible')).toEqual([]);
});

test('it goes together with the other filters and with words', async () => {
  for (const who of [finance, auditor]) {
    const query = 'informationTypeId=ift_invoices&contentState';
    expect(await listed(who, `${query}=unsupported`)).toEqual(['ast_u_1']);
    expect(await listed(who, 'q=scanned&contentState=unsupported')).toEqual(['ast_u_1']);
    expect(await listed(who, 'q=canned&contentState=unsupported')).toEqual(['ast_u_1']);
    expect(await listed(who, 'q=scanned&contentState=partial')).toEqual([]);
    expect(await listed(who, 'labelState=labeled&contentState=unsupported')).toEqual([]);
  }
});

test('an unknown state is refused', async () => {
  expect((await auditor.get('/api/assets?contentState=unread')).status).toBe(400);
});

test('an export takes the same filter, and has the reason', async () => {
  const { status, body } = await auditor.get('/api/exports/assets?format=csv&contentState=unsupported');
  expect(status).toBe(200);
  const [head = '', ...rows] = String(body).replaceAll('"', '').trim().split(/\r?\n/);
  const from = head.split(',').indexOf('contentReason');
  expect(head.split(',')[from + 1]).toBe('unreadParts');
  expect(
    rows
      .map((row) =>
        row
          .split(',')
          .slice(from, from + 2)
          .join(),
      )
      .sort(),
  ).toEqual(['ocr_off,3', 'unknown_format,']);
});

test('where no label is known, the number of unlabelled assets is not known', async () => {
  const posture = async () => {
    const { body } = await finance.get<{ domains: Posture[] }>('/api/home');
    return body.domains.find(({ domainId }) => domainId === 'dom_finance');
  };
  const ask = async (state = '') => {
    const question = `how many unlabelled ${state}files are in Finance`;
    const { body } = await finance.post<{ answer: Answer }>('/api/analyst/query', { question });
    return body.answer;
  };
  const label = (state: string, assetId: string) =>
    database.inspect(sql`update assets set label_state = ${state} where asset_id like ${assetId}`);

  expect(await posture()).toMatchObject({ assets: 3, unlabeled: 3, labelUnknown: 0 });
  expect(await ask()).toMatchObject({ result: { count: 3 }, coverage: { labelNotKnown: 0 }, notes: [] });

  await label('unknown', 'ast_u_%');
  expect(await posture()).toMatchObject({ assets: 3, unlabeled: null, labelUnknown: 3 });
  expect(await ask()).toMatchObject({
    result: { count: null },
    coverage: { labelNotKnown: 3 },
    notes: [expect.stringContaining('3 assets in reach are not known here')],
  });
  const plan = {
    ...{ subject: 'assets', where: [{ field: 'labelState', any: ['unlabeled'] }], show: 'count' },
    ...{ groupBy: [], order: null, limit: 1, share: [{ field: 'label', any: ['lab'] }] },
  };
  const shared = await finance.post<{ answer: Answer }>('/api/analyst/plan', { plan });
  expect(shared.body.answer.result).toMatchObject({ count: null, partCount: null });

  await label('unlabeled', 'ast_u_0');
  expect(await posture()).toMatchObject({ assets: 3, unlabeled: 1, labelUnknown: 2 });
  expect(await ask()).toMatchObject({ result: { count: 1 }, coverage: { labelNotKnown: 2 } });

  // Of the unsupported files, no label is known. There is no file that was not fetched.
  expect(await ask('unsupported ')).toMatchObject({ result: { count: null } });
  expect(await ask('readable ')).toMatchObject({ result: { count: 1 } });
  expect(await ask('not fetched ')).toMatchObject({ result: { count: 0 } });

  await label('labeled', 'ast_u_%');
  expect(await posture()).toMatchObject({ assets: 3, unlabeled: 0, labelUnknown: 0 });
});
