import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../core/config/config.ts';
import type { MessageFamily, MessageSource, SourceMessage } from '../../core/connectors/message-source.ts';
import { sql } from '../../core/db/sql.ts';
import { compose, type Runtime, useRuntime } from '../../core/runtime.ts';
import { fixtureCompany } from '../../infra/local/fixture/fixture-company.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';
import { startTraceCollector, type TraceCollector } from '../support/trace-collector.ts';

/** Words that no code, schema or fixture holds, each for one place of a message, and where it may be stored. */
const CANARIES: Readonly<Record<string, readonly string[]>> = {
  Qopening: ['messages'],
  Qsubject: ['messages'],
  Qattachmentname: ['message_attachments'],
  Qchannel: ['message_containers'],
  // Beyond the preview, in a copy, in a card, in a link, in an address, in an error.
  Qtail: [],
  Qcopied: [],
  Qcard: [],
  Qlink: [],
  Qaddress: [],
  Qfailure: [],
  '4539148803436467': [],
  DE89370400440532013000: [],
};
const CARD = '4539148803436467';
const IBAN = 'DE89370400440532013000';

let database: TestDatabase;
let service: TestService;
let runtime: Runtime;
let collector: TraceCollector;
let admin: SignedIn;
let auditor: SignedIn;
const logged: string[] = [];
const answers: string[] = [];
const aiCalls: string[] = [];

const bytes = (text: string) => new TextEncoder().encode(text);

function message(family: MessageFamily): SourceMessage {
  const none = { mimeType: null, sizeBytes: null, url: null };
  return {
    ...{ externalId: `${family}-1`, feed: '', rootExternalId: null, sourceVersion: '1', contentVersion: '1' },
    ...{ sentAt: '2026-10-01T10:00:00Z', editedAt: null, hasOutsiders: true },
    subject: `Qsubject card ${CARD}`,
    body: {
      mimeType: 'text/html',
      text:
        `<p>Qopening, card number ${CARD}, mail qaddress@qaddress.example, account IBAN ${IBAN}.</p>` +
        `<p>${'so it goes on and on '.repeat(40)}</p><p>Qtail, IBAN ${IBAN}</p>`,
    },
    attachments: [
      {
        ...{ ...none, kind: 'file', name: 'Qattachmentname.txt' },
        content: { state: 'available', bytes: bytes(`Qcopied, IBAN ${IBAN}`) },
      },
      {
        ...{ ...none, kind: 'item', name: null, mimeType: 'message/rfc822' },
        content: {
          state: 'available',
          bytes: bytes(`From: qaddress@qaddress.example\r\nSubject: Qcopied\r\n\r\nQcopied ${CARD}\r\n`),
        },
      },
      {
        ...{ ...none, kind: 'file', name: 'Qattachmentname.docx' },
        content: { state: 'available', bytes: bytes('PK\x03\x04Qcopied') },
      },
      {
        ...{ ...none, kind: 'reference', name: null, url: 'https://nordwind.example/Qlink/Qlink.docx' },
        content: { state: 'link' },
      },
    ],
  };
}

/** Channels or mailboxes with a canary in each place. One fails in an unexpected way while it is read. */
function canarySource(family: MessageFamily): MessageSource {
  const kind = family === 'chat' ? 'standard' : 'mailbox';
  const named = (externalId: string) => ({
    ...({ externalId, entry: 'one', name: `Qchannel ${externalId}`, kind, groupName: null } as const),
  });
  return {
    family,
    mode: 'mock',
    listContainers: async () => ({ containers: [named('whole'), named('failing')], refused: [] }),
    readAudience: async () => ({ members: 3, guests: 1, outsiders: 0, isOpen: false, complete: true }),
    readFilesFolder: async () => null,
    listFeeds: async () => [''],
    listMessages: async (externalId) => {
      if (externalId === 'failing') throw new Error(`Qfailure ${IBAN} of Qchannel`);
      return { messages: [message(family)], gone: [], cursor: '1', isCaughtUp: true, isWhole: true };
    },
    readAttachments: async () => [],
    findBackingItem: async () => null,
  };
}

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10, itemsPerScope: 2 });
  collector = await startTraceCollector();
  const settings = {
    SVC_TRACES_ENDPOINT: collector.url,
    SVC_CHAT_ENABLED: 'true',
    SVC_MAIL_ENABLED: 'true',
  };
  service = await startService(database, settings);
  const config = loadConfig({
    ...{ SVC_ENV: 'development', SVC_AUTH_MODE: 'dev', SVC_DATABASE_URL: database.url },
    ...{ SVC_LOG_LEVEL: 'debug', ...settings },
  });
  const composed = await compose(config, Date.now, { write: (line) => logged.push(line) });
  const ai = new Proxy(composed.ai, {
    get: (provider, name, receiver) => {
      const member: unknown = Reflect.get(provider, name, receiver);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        aiCalls.push(JSON.stringify(given));
        return Reflect.apply(member, provider, given);
      };
    },
  });
  runtime = { ...composed, ai, fixture: { ...fixtureCompany, messages: canarySource } };
  useRuntime(runtime);
  await runtime.traces?.start();
  admin = await service.signInAs(PERSONA.platformAdmin);
  auditor = await service.signInAs(PERSONA.auditor);
});
afterAll(async () => {
  await runtime.close();
  await service.close();
  await collector.close();
  await database.drop();
});

/** Every row of every table, by table. */
async function stored(): Promise<Map<string, string>> {
  const tables = await database.inspect<{ name: string }>(sql`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`);
  const texts = new Map<string, string>();
  for (const { name } of tables) {
    const rows = await database.inspect<{ row: string }>(
      sql`select to_jsonb(t)::text as row from ${sql.ident(name)} t`,
    );
    texts.set(name, rows.map(({ row }) => row).join('\n'));
  }
  return texts;
}

const held = (text: string, canary: string) =>
  text.toLowerCase().replaceAll(/[ -]/g, '').includes(canary.toLowerCase());

test('what a message holds is found where it is kept, and nowhere else', async () => {
  for (const family of ['chat', 'mail']) {
    const { status, text } = await admin.post(`/api/${family}/sync`, {});
    answers.push(text);
    // The container that fails ends the request, after the other one was stored or before.
    expect([200, 500]).toContain(status);
    answers.push((await admin.post(`/api/${family}/sync`, {})).text);
  }
  const rows = await stored();
  expect(rows.get('messages')?.split('\n')).toHaveLength(2);
  expect(rows.get('message_attachments')?.split('\n')).toHaveLength(8);
  for (const [canary, allowed] of Object.entries(CANARIES)) {
    const holding = [...rows].filter(([, text]) => held(text, canary)).map(([table]) => table);
    expect(holding, canary).toEqual(allowed);
  }

  for (const who of [admin, auditor]) {
    for (const path of ['/api/ops/overview', '/api/ops/metrics', '/api/admin/connectors'])
      answers.push((await who.get(path)).text);
    answers.push((await who.get('/api/chat/messages/Qopening?x=Qtail')).text);
  }
  const owner = await service.signInAs(PERSONA.financeOwner);
  answers.push((await owner.get('/api/exports/assets?format=ndjson')).text);
  answers.push((await owner.post('/api/analyst/query', { question: 'How many messages are there?' })).text);
  for (const list of ['audit', 'findings', 'assets', 'scans'])
    answers.push((await auditor.get(`/api/exports/${list}?format=ndjson`)).text);
  await runtime.traces?.close();
  const emitted: Record<string, string> = {
    answers: answers.join('\n').replaceAll('/api/chat/messages/Qopening', ''),
    logs: logged.join('\n'),
    traces: collector.received.join('\n'),
    metrics: JSON.stringify(runtime.metrics.snapshot()),
    ai: aiCalls.join('\n'),
    support: (await admin.get('/api/support/diagnostics/preview')).text,
    telemetry: (await admin.get('/api/controlplane/telemetry-preview')).text,
  };
  expect(emitted.logs?.includes('http_request')).toBe(true);
  expect(emitted.traces?.includes('POST /api/chat/sync')).toBe(true);
  for (const [place, text] of Object.entries(emitted))
    for (const canary of Object.keys(CANARIES))
      expect(held(text, canary), `${canary} in ${place}`).toBe(false);
});

test('a preview shows the opening, and no identifier of it', async () => {
  for (const family of ['chat', 'mail']) {
    const { body } = await admin.get<{ items: { preview: string; signals: { detectorId: string }[] }[] }>(
      `/api/${family}/messages`,
    );
    const [shown] = body.items;
    expect(shown?.preview).toContain('Qopening');
    expect(shown?.preview).not.toMatch(/45391|DE8937|qaddress/i);
    expect(shown?.preview.length).toBeLessThanOrEqual(400);
    const found = shown?.signals.map(({ detectorId }) => detectorId) ?? [];
    expect(found).toEqual(expect.arrayContaining(['iban', 'credit_card', 'email_address']));
  }
});
