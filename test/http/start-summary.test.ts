import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { summarize } from '../../infra/local/summary.ts';
import { storeScanned } from '../support/assets.ts';
import { startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { invoices } from '../support/review.ts';
import { DEV } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;
let service: TestService;
let scopeIds: string[];

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 0 });
  service = await startService(database);
  const ledger = { ...invoices(0.85), informationTypeId: 'ift_second' };
  await database.inspect(sql`
    insert into information_types (tenant_id, information_type_id, domain_id, name, definition, sensitivity, indicators,
                                   status, created_at, updated_at)
    select tenant_id, 'ift_second', domain_id, 'Second type', definition, sensitivity, indicators, status, created_at,
           updated_at
      from information_types where tenant_id = ${DEV} and information_type_id = 'ift_invoices'`);
  await storeScanned(database.db, DEV, [
    { assetId: 'ast_s_1', said: [invoices(0.99)], name: 'Surely.docx' },
    { assetId: 'ast_s_2', said: [invoices(0.6), ledger], name: 'Valuable.docx' },
    { assetId: 'ast_s_3', said: [invoices(0.9)], name: 'Gone.docx' },
    { assetId: 'ast_s_4', name: 'Unread.pdf' },
  ]);
  await database.inspect(sql`update assets set status = 'deleted' where asset_id = 'ast_s_3'`);
  await database.inspect(sql`
    update assets set content_state = 'unsupported', content_reason = 'ocr_off', unread_parts = 3
     where asset_id = 'ast_s_4'`);
  // The risk decides the order of the queue before the confidence does.
  await database.inspect(sql`update candidates set risk_severity = 'critical' where asset_id = 'ast_s_2'`);
  const scopes = await database.inspect<{ id: string }>(sql`select scope_id as id from scopes`);
  scopeIds = scopes.map(({ id }) => id);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

test('the start asks the first question of the queue, and counts as the queue does', async () => {
  const printed = await summarize(
    database.url,
    DEV,
    { url: 'http://here', idp: false },
    { scopeIds, campaignIds: [] },
    [],
  );
  const [, persona = ''] = /"principalId":"(\w+)"/.exec(printed) ?? [];
  const owner = await service.signInAs(persona);
  const { body } = await owner.get<{
    items: { candidateId: string; assetName: string; informationTypeName: string }[];
  }>('/api/review/queue');
  const [first] = body.items;
  expect(body.items).toHaveLength(2);
  expect(first?.assetName).toBe('Valuable.docx');
  expect(printed).toContain(`/api/review/candidates/${first?.candidateId}/decision`);
  expect(printed).toContain(`It looks like "${first?.informationTypeName}": Valuable.docx`);
  expect(printed).toMatch(new RegExp(` 2 +${persona}$`, 'm'));
});

test('the start names unread files of each state and reason, however many there are', async () => {
  const many = Array.from({ length: 12 }, (_, at) => `ast_s_u${at}`);
  await storeScanned(
    database.db,
    DEV,
    many.map((assetId) => ({ assetId, name: `${assetId}.bin` })),
  );
  await database.inspect(sql`
    update assets set content_state = 'failed', content_reason = 'corrupt' where asset_id = any(${many}::text[])`);
  const printed = await summarize(
    database.url,
    DEV,
    { url: 'http://here', idp: false },
    { scopeIds, campaignIds: [] },
    [],
  );
  expect(printed).toMatch(
    /unsupported \(1\): text in pictures is not read\. Set SVC_OCR=true.*\n +Zanzibar\/Unread\.pdf {2}\(3 parts/,
  );
  expect(printed).toContain('failed (12): the file is broken.');
  expect(printed).toContain('… and 2 more');
});
