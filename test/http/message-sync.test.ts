import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Synced = {
  complete: boolean;
  mode: string;
  containers: { total: number; covered: number };
  messages: { added: number };
};

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 1 });
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

/** Asks until all is stored: an answer may be short of it when the machine is busy. Adds up what was added. */
async function syncWhole(family: string): Promise<Synced> {
  let added = 0;
  for (let left = 10; left > 0; left--) {
    const { status, body } = await admin.post<Synced>(`/api/${family}/sync`);
    expect(status).toBe(200);
    added += body.messages.added;
    if (body.complete) return { ...body, messages: { ...body.messages, added } };
  }
  return expect.unreachable('The sync has no end.');
}

test.each([
  ['chat', 'SVC_CHAT_ENABLED'],
  ['mail', 'SVC_MAIL_ENABLED'],
])('POST /api/%s/sync names the flag and the settings that are missing', async (family, flag) => {
  await service.reconfigure({ SVC_CHAT_ENABLED: 'false', SVC_MAIL_ENABLED: 'false' });
  const { status, body } = await admin.post<{ error: string; message: string }>(`/api/${family}/sync`);
  expect({ status, error: body.error }).toEqual({ status: 422, error: 'blocked_capability' });
  expect(body.message).toContain(flag);
  expect(body.message).toContain('SVC_GRAPH_TENANT_ID');
});

test.each(['chat', 'mail'])(
  'POST /api/%s/sync stores the messages of the made-up company once',
  async (family) => {
    await service.reconfigure({ SVC_CHAT_ENABLED: 'true', SVC_MAIL_ENABLED: 'true' });
    const first = await syncWhole(family);
    expect(first).toMatchObject({ complete: true, mode: 'mock' });
    expect(first.containers.covered).toBe(first.containers.total);
    expect(first.messages.added).toBeGreaterThan(0);
    expect(await syncWhole(family)).toMatchObject({ complete: true, messages: { added: 0, gone: 0 } });
    const [row] = await database.inspect<{ n: number }>(sql`
    select count(*)::int as n from messages join message_containers using (tenant_id, container_id)
     where tenant_id = ${DEV} and family = ${family}`);
    expect(row?.n).toBe(first.messages.added);
  },
);

test('only who may configure connectors may sync', async () => {
  for (const persona of [PERSONA.auditor, PERSONA.governanceAdmin, PERSONA.financeOwner, PERSONA.approver]) {
    const person = await service.signInAs(persona);
    for (const family of ['chat', 'mail'])
      expect((await person.post(`/api/${family}/sync`)).status, family).toBe(403);
  }
});
