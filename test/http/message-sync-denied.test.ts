import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { CHAT_APP, chatFake } from '../support/graph/chat-tenant.ts';
import { cloudOf } from '../support/graph/connect.ts';
import type { GraphFake } from '../support/graph/graph-fake.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const CANARY = 'canary-4711';

let database: TestDatabase;
let service: TestService;
let fake: GraphFake;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 1 });
  service = await startService(database);
  fake = await chatFake();
  setDefaultCACertificates([...getCACertificates('default'), fake.ca]);
});
afterAll(async () => {
  await service.close();
  await fake.close();
  await database.drop();
});

test('a channel that denies its messages is a 500 with the correlation id, and no more', async () => {
  const channel = fake.channel('Sales', 'General');
  channel.post(`<p>${CANARY}</p>`);
  await service.reconfigure(
    {
      ...{ SVC_CHAT_ENABLED: 'true', SVC_CHAT_TEAMS: channel.team.id },
      ...{ SVC_GRAPH_TENANT_ID: fake.tenant().id, SVC_GRAPH_CLIENT_ID: CHAT_APP.clientId },
      ...{ SVC_GRAPH_CLIENT_SECRET_REF: 'READER_SECRET', READER_SECRET: CHAT_APP.secret },
    },
    { graph: cloudOf(fake) },
  );
  const admin = await service.signInAs(PERSONA.platformAdmin);
  let first = await admin.post<{ complete: boolean }>('/api/chat/sync');
  // A busy machine reads it in several rounds.
  for (let left = 10; left > 0 && !first.body.complete; left--) first = await admin.post('/api/chat/sync');
  expect(first).toMatchObject({ status: 200, body: { complete: true, mode: 'live', interrupted: null } });

  channel.refuse('denied');
  const denied = await admin.post<{ error: string; correlationId: string }>('/api/chat/sync');
  expect(denied.status).toBe(500);
  expect(Object.keys(denied.body).sort()).toEqual(['correlationId', 'error']);
  expect(denied.body.error).toBe('internal_error');
  const states = await database.inspect<{ coverage: string; reason: string | null; messages: number }>(sql`
    select coverage, refused_reason as reason,
           (select count(*)::int from messages m where m.container_id = c.container_id) as messages
      from message_containers c where tenant_id = ${DEV} and external_id = ${channel.externalId}`);
  expect(states).toMatchObject([{ coverage: 'refused', reason: 'denied' }]);
  expect(states[0]?.messages).toBeGreaterThan(0);
  const said = denied.text + first.text + service.logs.join('');
  for (const secret of [CANARY, CHAT_APP.secret, channel.team.id, channel.channel.id]) {
    expect(said).not.toContain(secret);
  }

  channel.refuse(null);
  expect(await admin.post('/api/chat/sync')).toMatchObject({ status: 200, body: { complete: true } });
});
