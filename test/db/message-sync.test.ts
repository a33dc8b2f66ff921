import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ConnectorError } from '../../core/connectors/connector.ts';
import type { SourceAttachment } from '../../core/connectors/message-source.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { PrincipalId, TenantId } from '../../core/kernel/ids.ts';
import { listMessages } from '../../core/messages/message-list.sql.ts';
import { syncDue } from '../../core/messages/sync-due.ts';
import { syncFamily } from '../../core/messages/sync-family.ts';
import { makeTenant } from '../support/campaign.ts';
import { changingMessages } from '../support/changing-messages.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { storedMessages, syncParts } from '../support/message-world.ts';
import { textGlance } from '../support/text-analysis.ts';

const IBAN = 'DE42 2327 2985 9310 4668 71';
const SECRET = 'AKIAGKJYI54R5KDDPWU3';
const DAY_MS = 86_400_000;

let database: TestDatabase;
let tenantId: TenantId;
let now: number;
let tenants = 0;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  now = Date.UTC(2026, 10, 1);
  tenantId = `msg-${tenants++}` as TenantId;
  await makeTenant(database, tenantId, now);
});

const never = new AbortController().signal;
const parts = () => syncParts(database, () => now);
const audit = () => ({ tenantId, principalId: 'somebody' as PrincipalId, correlationId: 'cor_1' });
const sync = (world: ReturnType<typeof changingMessages>) => {
  now += 1_000;
  return syncFamily(parts(), audit(), world.source, never);
};
const stored = (container: string) => storedMessages(database, tenantId, container);
const previews = async (container: string) => (await stored(container)).map(({ preview }) => preview);
const audited = () =>
  database.inspect<{ type: string; details: Record<string, unknown> }>(sql`
    select record::jsonb #>> '{event,type}' as type, record::jsonb #> '{event,details}' as details
      from audit_events where tenant_id = ${tenantId} order by seq`);
const findings = () =>
  database.inspect<{ kind: string; severity: string; status: string; message: string | null }>(sql`
    select f.kind, f.severity, f.status, m.external_id as message
      from message_findings f left join messages m using (tenant_id, message_id)
     where f.tenant_id = ${tenantId} order by f.kind, m.external_id`);
const containers = () =>
  database.inspect<{
    id: string;
    coverage: string;
    reason: string | null;
    covered: Date | null;
    due: Date;
  }>(sql`
    select external_id as id, coverage, refused_reason as reason, covered_at as covered, due_at as due
      from message_containers where tenant_id = ${tenantId} order by external_id`);

describe('a sync', () => {
  test('stores masked previews and what was found, and says so with counts', async () => {
    const world = changingMessages('chat');
    const channel = world.add('general', { groupName: 'Sales' });
    channel.write('1', { subject: 'Invoice', text: `Pay to ${IBAN} please` });
    channel.write('2', { text: 'Thanks', rootExternalId: '1' });
    expect(await sync(world)).toEqual({
      ...{ mode: 'mock', complete: true, interrupted: null },
      containers: { total: 1, covered: 1, refused: 0, left: 0, notSelected: 0 },
      messages: { added: 2, changed: 0, unchanged: 0, gone: 0 },
      removed: { items: [], truncated: false },
      refused: { items: [], truncated: false },
    });
    const [first, second] = await stored('general');
    expect(first).toMatchObject({
      preview: 'Invoice Pay to DE42 •••• •••• •••• ••68 71 please',
      state: 'available',
    });
    expect(first?.signals).toEqual([{ detectorId: 'iban', count: 1, confidence: expect.any(Number) }]);
    expect(second).toMatchObject({ preview: 'Thanks', signals: [] });
    const [event] = (await audited()).filter(({ type }) => type === 'messages_synced');
    expect(JSON.stringify(event?.details)).not.toMatch(/general|Sales/);
    expect(event?.details).toMatchObject({ added: 2, containers: 1, complete: true });
  });

  test('replaces what was kept of an edited message, and drops a deleted one', async () => {
    const world = changingMessages('chat');
    const channel = world.add('general');
    channel.write('1', { text: `Pay to ${IBAN}` });
    channel.write('2', { text: 'stays' });
    channel.write('3', { text: 'goes' });
    await sync(world);
    expect(await findings()).toMatchObject([{ kind: 'identifiers', status: 'open', message: '1' }]);
    channel.write('1', { text: 'Never mind' });
    channel.touch('2');
    channel.remove('3');
    expect((await sync(world)).messages).toEqual({ added: 0, changed: 1, unchanged: 1, gone: 1 });
    expect(await previews('general')).toEqual(['Never mind', 'stays']);
    expect((await stored('general'))[0]?.signals).toEqual([]);
    expect(await findings()).toMatchObject([{ kind: 'identifiers', status: 'resolved', message: '1' }]);
  });

  test('reads a message again only if its content has changed', async () => {
    const world = changingMessages('mail');
    const mailbox = world.add('anna@example.com', { feeds: ['inbox'] });
    mailbox.write('1', { text: 'one', attachments: [file('a.txt', 'a')] });
    await sync(world);
    mailbox.touch('1');
    mailbox.forget();
    await sync(world);
    expect(world.calls.attachments).toBe(1);
  });

  test('keeps no preview under the profile metadata_only, and the signals', async () => {
    await database.inspect(
      sql`update tenants set data_handling_profile = 'metadata_only' where tenant_id = ${tenantId}`,
    );
    const world = changingMessages('chat');
    world.add('general').write('1', { text: `Pay to ${IBAN}` });
    await sync(world);
    expect(await stored('general')).toMatchObject([{ preview: null, signals: [{ detectorId: 'iban' }] }]);
  });

  test('walks a feed again whose cursor was lost, and deletes what is not shown', async () => {
    const world = changingMessages('chat');
    const channel = world.add('general');
    for (const id of ['1', '2', '3', '4', '5']) channel.write(id, { text: id });
    await sync(world);
    channel.place.messages.delete('2');
    channel.forget();
    expect((await sync(world)).messages).toMatchObject({ unchanged: 4, gone: 1 });
    expect(await previews('general')).toEqual(['1', '3', '4', '5']);
  });
});

describe('a folder that is gone', () => {
  test('has its messages looked for in the others, whose feeds may not show a move', async () => {
    const world = changingMessages('mail');
    const mailbox = world.add('anna@example.com', { feeds: ['inbox', 'old'] });
    mailbox.write('1', { text: 'one', feed: 'old' });
    mailbox.write('2', { text: 'two', feed: 'old' });
    await sync(world);
    const moved = mailbox.place.messages.get('1') ?? expect.unreachable();
    mailbox.place.messages.set('1', { ...moved, feed: 'inbox' });
    mailbox.place.messages.delete('2');
    mailbox.place.feeds.delete('old');
    expect((await sync(world)).messages).toMatchObject({ unchanged: 1, gone: 1 });
    expect(await stored('anna@example.com')).toMatchObject([{ preview: 'one' }]);
  });
});

describe('containers', () => {
  test('that are no longer selected go with their messages, and the answer says so', async () => {
    const world = changingMessages('chat');
    world.add('general').write('1', { text: 'one' });
    world.add('other').write('2', { text: 'two' });
    await sync(world);
    world.places.delete('other');
    const answer = await sync(world);
    expect(answer.removed).toEqual({ items: [{ name: 'other', messages: 1 }], truncated: false });
    expect(await containers()).toMatchObject([{ id: 'general' }]);
    expect(await stored('other')).toEqual([]);
    expect((await audited()).filter(({ type }) => type === 'message_container_removed')).toEqual([
      { type: 'message_container_removed', details: { family: 'chat', messages: 1 } },
    ]);
  });

  test('of an entry that the source refuses stay, and the answer names the entry', async () => {
    const world = changingMessages('chat');
    world.add('team/general', { entry: 'team' }).write('1', { text: 'one' });
    await sync(world);
    world.places.clear();
    world.refusedEntries.push({ name: 'team', reason: 'locked' });
    const answer = await sync(world);
    expect(answer).toMatchObject({
      ...{ complete: true, removed: { items: [] }, containers: { total: 1, refused: 1, left: 0 } },
      refused: { items: [{ entry: 'team', reason: 'locked' }] },
    });
    expect(await stored('team/general')).toHaveLength(1);
  });

  test('whose messages are denied fail the request after the others were stored', async () => {
    const world = changingMessages('chat');
    const denied = world.add('a-denied');
    denied.write('1', { text: 'one' });
    await sync(world);
    denied.place.refusal = 'denied';
    world.add('b-open').write('2', { text: 'two' });
    await expect(sync(world)).rejects.toMatchObject({ name: 'ScopeRefused', reason: 'denied' });
    expect(await containers()).toMatchObject([
      { id: 'a-denied', coverage: 'refused', reason: 'denied' },
      { id: 'b-open', coverage: 'covered' },
    ]);
    expect(await previews('a-denied')).toEqual(['one']);
    expect(await previews('b-open')).toEqual(['two']);
    denied.place.refusal = null;
    await sync(world);
    expect(await containers()).toMatchObject([
      { coverage: 'covered', reason: null },
      { coverage: 'covered' },
    ]);
  });

  test('that are denied when they are listed are shown as refused, and fail the request', async () => {
    const world = changingMessages('mail');
    world.add('anna@example.com', { feeds: ['inbox'] });
    world.add('ben@example.com', { feeds: ['inbox'] }).write('1', { text: 'one' });
    world.refusedEntries.push({ name: 'anna@example.com', reason: 'denied' });
    await expect(sync(world)).rejects.toMatchObject({ name: 'ScopeRefused', reason: 'denied' });
    expect(await containers()).toMatchObject([
      { id: 'anna@example.com', coverage: 'refused', reason: 'denied' },
      { id: 'ben@example.com', coverage: 'covered' },
    ]);
    expect(await previews('ben@example.com')).toEqual(['one']);
    world.refusedEntries.pop();
    expect(await sync(world)).toMatchObject({ complete: true, containers: { covered: 2 } });
  });

  test('go with their messages when the configuration selects none any more', async () => {
    const world = changingMessages('mail');
    world.add('anna@example.com', { feeds: ['inbox'] }).write('1', { text: 'one' });
    await sync(world);
    const run = async (found: 'nothing_selected' | null) => {
      now += 2 * DAY_MS;
      await syncDue(parts(), (of, family) => (of === tenantId && family === 'mail' ? found : null), {
        signal: never,
        budgetMs: 60_000,
      });
    };
    await run(null);
    expect(await previews('anna@example.com')).toEqual(['one']);
    await run('nothing_selected');
    expect(await containers()).toEqual([]);
    expect((await audited()).filter(({ type }) => type === 'message_container_removed')).toEqual([
      { type: 'message_container_removed', details: { family: 'mail', messages: 1 } },
    ]);
  });

  test('are synced again by the timer once in the hours of the setting', async () => {
    const world = changingMessages('chat');
    const channel = world.add('general');
    channel.write('1', { text: 'one' });
    await sync(world);
    channel.write('2', { text: 'two' });
    const run = () =>
      syncDue(parts(), (of, family) => (of === tenantId && family === 'chat' ? world.source : null), {
        signal: never,
        budgetMs: 60_000,
      });
    now += DAY_MS / 2 - 2_000;
    await run();
    expect(await previews('general')).toEqual(['one']);
    now += DAY_MS + 2_000;
    await run();
    expect(await previews('general')).toEqual(['one', 'two']);
    expect(world.calls.listings).toBe(2);
  });
});

describe('a source that fails', () => {
  test('ends the round when it throttles; the rest is due when it said', async () => {
    const world = changingMessages('chat');
    const channel = world.add('general');
    for (let n = 0; n < 9; n++) channel.write(`${n}`, { text: `${n}` });
    world.fail((call) =>
      call === 'pages' && world.calls.pages > 1
        ? new ConnectorError('throttled', 'source_throttled', 90_000)
        : null,
    );
    const answer = await sync(world);
    expect(answer).toMatchObject({ complete: false, interrupted: 'throttled', containers: { left: 1 } });
    expect(await stored('general')).toHaveLength(3);
    const [container] = await containers();
    expect(container).toMatchObject({ coverage: 'partial', due: new Date(now + 90_000) });
    world.fail(null);
    expect(await sync(world)).toMatchObject({ complete: true, messages: { added: 6 } });
  });

  test('is asked again in a minute, or at the next sync if it will answer the same', async () => {
    for (const [kind, minutes] of [
      ['transient', 1],
      ['permanent', 12 * 60],
    ] as const) {
      const world = changingMessages('chat');
      world.add(kind).write('1', { text: 'one' });
      world.fail((call) => (call === 'pages' ? new ConnectorError(kind, 'http_status_503') : null));
      expect(await sync(world)).toMatchObject({ complete: false, interrupted: kind });
      const due = (await containers()).find(({ id }) => id === kind)?.due.getTime() ?? 0;
      if (minutes === 1) expect(due - now).toBe(60_000);
      else expect(due - now).toBeGreaterThanOrEqual(minutes * 60_000);
    }
  });

  test('does not hold up the other channels with one that fails', async () => {
    const world = changingMessages('chat');
    const channels = [world.add('a'), world.add('b')];
    for (const channel of channels) channel.write('1', { text: 'one' });
    const failOnce = () => {
      const first = world.calls.pages + 1;
      world.fail((call) =>
        call === 'pages' && world.calls.pages === first ? new ConnectorError('permanent', 'too_large') : null,
      );
    };
    failOnce();
    expect(await sync(world)).toMatchObject({
      ...{ complete: false, interrupted: 'permanent', messages: { added: 1 } },
      containers: { covered: 1, left: 1 },
    });
    await sync(world);
    for (const channel of channels) channel.write('2', { text: 'two' });
    failOnce();
    now += 2 * DAY_MS;
    await syncDue(parts(), (of, family) => (of === tenantId && family === 'chat' ? world.source : null), {
      signal: never,
      budgetMs: 60_000,
    });
    expect([...(await previews('a')), ...(await previews('b'))].sort()).toEqual(['one', 'one', 'two']);
  });

  test('does not hold up the other feeds of a mailbox with one that fails', async () => {
    const world = changingMessages('mail');
    const mailbox = world.add('anna@example.com', { feeds: ['a', 'b'] });
    const attachments = [file('a.txt', 'a')];
    mailbox.write('1', { text: 'one', feed: 'a', attachments });
    mailbox.write('2', { text: 'two', feed: 'b', attachments });
    world.fail((call) =>
      call === 'attachments' && world.calls.attachments === 1
        ? new ConnectorError('transient', 'http_status_502')
        : null,
    );
    expect(await sync(world)).toMatchObject({
      complete: false,
      interrupted: 'transient',
      messages: { added: 1 },
    });
    expect(await previews('anna@example.com')).toEqual(['two']);
    expect(await sync(world)).toMatchObject({ complete: true });
  });
});

const file = (name: string, text: string): SourceAttachment => ({
  ...{ kind: 'file', name, mimeType: 'text/plain', sizeBytes: text.length, url: null },
  content: { state: 'available', bytes: new TextEncoder().encode(text) },
});
const attachments = () =>
  database.inspect(sql`
    select position, kind, name, content_state as state, content_reason as reason, signals,
           encode(content_hash, 'hex') as hash, backing_scope_external_id as scope, backing_external_id as item
      from message_attachments where tenant_id = ${tenantId} order by position`);

test('copies are read as files, links are looked up once, cards count to the text', async () => {
  const world = changingMessages('chat');
  world.backing.set('https://files.example/a', { scopeExternalId: 'drive', externalId: 'item' });
  const link = { kind: 'reference', mimeType: null, sizeBytes: null, content: { state: 'link' } } as const;
  const channel = world.add('general');
  channel.write('1', {
    text: 'See these',
    attachments: [
      { ...link, name: 'a.docx', url: 'https://files.example/a' },
      { ...link, name: 'b.docx', url: 'https://files.example/b' },
      file(`IBAN ${IBAN}.txt`, `Card 4539 1488 0343 6467`),
      { ...file('big.bin', ''), content: { state: 'too_large' } },
      { ...file('locked.pdf', ''), content: { state: 'inaccessible' } },
      { ...file('', SECRET), kind: 'card', name: null },
    ],
  });
  await sync(world);
  expect(await attachments()).toMatchObject([
    { kind: 'reference', name: 'a.docx', state: 'not_fetched', scope: 'drive', item: 'item', hash: null },
    { kind: 'reference', name: 'b.docx', state: 'not_fetched', scope: null, item: null },
    {
      kind: 'file',
      name: expect.stringContaining('•'),
      state: 'available',
      signals: [{ detectorId: 'credit_card' }],
    },
    { kind: 'file', name: 'big.bin', state: 'failed', reason: 'size_bound', hash: null },
    { kind: 'file', name: 'locked.pdf', state: 'inaccessible', hash: null },
  ]);
  expect(JSON.stringify(await attachments())).not.toContain('2327');
  channel.touch('1');
  await sync(world);
  expect(world.calls.backing).toBe(2);
  channel.write('1', { text: 'See nothing' });
  await sync(world);
  expect(await attachments()).toEqual([]);
});

test('names of attachments have a time without a text too; types are as registered', async () => {
  const world = changingMessages('chat');
  const channel = world.add('general');
  const types = ['application/pdf; name="Ada.pdf"', 'Ada Lovelace', 'text/4539148803436467', 'image/png'];
  const attached = types.map((mimeType) => ({ ...file('a.txt', 'text'), mimeType }));
  channel.write('1', { text: '', attachments: attached });
  channel.write('2', { text: '' });
  await sync(world);
  const kept = await database.inspect<{ type: string | null }>(sql`
    select mime_type as type from message_attachments where tenant_id = ${tenantId} order by position`);
  expect(kept.map(({ type }) => type)).toEqual(['application/pdf', null, null, 'image/png']);
  // The sweep of previews takes the names with the empty one.
  expect(await previews('general')).toEqual(['', null]);
  const shown = await withTx(database.db, { tenantId, mode: 'read' }, (tx) =>
    listMessages(tx, 'chat', { identifiers: 'all' }, 9),
  );
  expect(shown.map(({ preview }) => preview)).toEqual([null, null]);
});

describe('findings', () => {
  test('open for proven identifiers, by whether outsiders took part, and resolve', async () => {
    const world = changingMessages('mail');
    const mailbox = world.add('anna@example.com', { feeds: ['inbox'] });
    mailbox.write('1', { text: `Pay to ${IBAN}`, hasOutsiders: false });
    mailbox.write('2', { text: `The key is ${SECRET}`, hasOutsiders: true });
    mailbox.write('3', { text: 'In the copy', attachments: [file('a.txt', IBAN)], hasOutsiders: null });
    mailbox.write('4', { text: 'Call +49 30 123456', hasOutsiders: true });
    await sync(world);
    expect(await findings()).toEqual([
      { kind: 'identifiers', severity: 'medium', status: 'open', message: '1' },
      { kind: 'identifiers', severity: 'high', status: 'open', message: '2' },
      { kind: 'identifiers', severity: 'medium', status: 'open', message: '3' },
    ]);
    mailbox.remove('2');
    mailbox.write('3', { text: 'In no copy' });
    await sync(world);
    expect(await findings()).toEqual([
      { kind: 'identifiers', severity: 'medium', status: 'open', message: '1' },
      { kind: 'identifiers', severity: 'medium', status: 'resolved', message: '3' },
    ]);
  });

  test('stay open, and are marked, while a part of the message cannot be read', async () => {
    const world = changingMessages('mail');
    const mailbox = world.add('anna@example.com', { feeds: ['inbox'] });
    const copy = [file('a.txt', `The key is ${SECRET}`)];
    mailbox.write('text', { text: `Pay to ${IBAN}` });
    mailbox.write('copy', { text: `Pay to ${IBAN}`, attachments: copy });
    await sync(world);
    const marked = () =>
      database.inspect<{ message: string; level: number; status: string; since: Date | null }>(sql`
        select m.external_id as message, f.level, f.status, f.unconfirmed_since as since
          from message_findings f join messages m using (tenant_id, message_id)
         where f.tenant_id = ${tenantId} order by m.external_id`);
    expect(await marked()).toEqual([
      { message: 'copy', level: 3, status: 'open', since: null },
      { message: 'text', level: 2, status: 'open', since: null },
    ]);
    const protect = (id: string) => {
      mailbox.write(id, { text: '' });
      const written = mailbox.place.messages.get(id) ?? expect.unreachable();
      mailbox.place.messages.set(id, { ...written, body: null });
    };
    protect('text');
    mailbox.write('copy', { text: `Pay to ${IBAN}`, attachments: copy });
    mailbox.place.attachments.set('copy', []);
    await sync(world);
    const since = new Date(now);
    const unconfirmed = [
      { message: 'copy', level: 3, status: 'open', since },
      { message: 'text', level: 2, status: 'open', since },
    ];
    expect(await marked()).toEqual(unconfirmed);
    protect('text');
    await sync(world);
    expect(await marked()).toEqual(unconfirmed);
    mailbox.write('text', { text: 'Nothing to pay' });
    mailbox.write('copy', { text: `Pay to ${IBAN}`, attachments: [file('a.txt', 'No key')] });
    await sync(world);
    expect(await marked()).toEqual([
      { message: 'copy', level: 2, status: 'open', since: null },
      { message: 'text', level: 2, status: 'resolved', since: null },
    ]);
  });

  test('resolve beside a file of a format that has no text', async () => {
    const world = changingMessages('mail');
    const mailbox = world.add('anna@example.com', { feeds: ['inbox'] });
    const readsNoPictures: typeof textGlance = {
      glance: async (of, argument) =>
        of.mimeType === 'image/png'
          ? {
              ...{ state: 'unsupported', format: 'unknown', reason: 'unknown_format', ms: 1 },
              ...{ analysis: { signals: [], opening: '', names: [] }, analysisMs: 1 },
            }
          : textGlance.glance(of, argument),
    };
    const picture = { ...file('a.png', ''), mimeType: 'image/png' };
    for (const text of [`Pay to ${IBAN}`, 'Never mind']) {
      mailbox.write('1', { text, attachments: [picture] });
      now += 1_000;
      await syncFamily({ ...parts(), analysis: readsNoPictures }, audit(), world.source, never);
    }
    expect(await findings()).toMatchObject([{ status: 'resolved' }]);
    expect(await attachments()).toMatchObject([{ state: 'unsupported' }]);
  });

  test('open for a channel with guests or outsiders, or an open one, while it holds some', async () => {
    const world = changingMessages('chat');
    const channel = world.add('general');
    const audience = { members: 3, guests: 0, outsiders: 0, isOpen: false, complete: true };
    channel.write('1', { text: `The key is ${SECRET}` });
    await sync(world);
    const ofChannel = async () => (await findings()).filter(({ kind }) => kind === 'outsiders');
    expect(await ofChannel()).toEqual([]);
    channel.place.audience = { ...audience, isOpen: true };
    await sync(world);
    expect(await ofChannel()).toMatchObject([{ severity: 'medium', status: 'open' }]);
    channel.place.audience = { ...audience, guests: 1 };
    await sync(world);
    expect(await ofChannel()).toMatchObject([{ severity: 'high', status: 'open' }]);
    channel.write('1', { text: 'No key any more' });
    await sync(world);
    expect(await ofChannel()).toMatchObject([{ status: 'resolved' }]);
    channel.write('1', { text: `Pay to ${IBAN}` });
    channel.place.audience = { ...audience, outsiders: 1 };
    await sync(world);
    expect(await ofChannel()).toMatchObject([{ severity: 'medium', status: 'open' }]);
  });
});

test('two syncs at once share the containers and read no page twice', async () => {
  const world = changingMessages('chat');
  for (const name of ['a', 'b', 'c', 'd']) {
    const channel = world.add(name);
    for (let n = 0; n < 6; n++) channel.write(`${n}`, { text: `${n}` });
  }
  now += 1_000;
  const both = [1, 2].map(() => syncFamily(parts(), audit(), world.source, never));
  const answers = await Promise.all(both);
  expect(answers.reduce((sum, { messages }) => sum + messages.added, 0)).toBe(24);
  expect(answers.map(({ messages }) => messages.unchanged)).toEqual([0, 0]);
  expect(world.calls).toMatchObject({ listings: 1, pages: 8 });
});

test('a process that lost its lease stores nothing, and the next one goes on', async () => {
  const world = changingMessages('chat');
  const channel = world.add('general');
  for (let n = 0; n < 6; n++) channel.write(`${n}`, { text: `${n}` });
  world.fail((call) => {
    if (call === 'pages' && world.calls.pages === 2)
      void database.inspect(
        sql`update message_containers set lease_owner = 'syn_other' where tenant_id = ${tenantId}`,
      );
    return null;
  });
  const slow = {
    ...textGlance,
    glance: async (...of: Parameters<typeof textGlance.glance>) => {
      await sleep(100);
      return textGlance.glance(...of);
    },
  };
  now += 1_000;
  const answer = await syncFamily({ ...parts(), analysis: slow }, audit(), world.source, never);
  expect(answer).toMatchObject({ complete: false, messages: { added: 3 }, containers: { left: 1 } });
  expect(await stored('general')).toHaveLength(3);
  now += 400_000;
  world.fail(null);
  expect(await sync(world)).toMatchObject({ complete: true, messages: { added: 3, unchanged: 0 } });
});

test('a listing that was given up stores nothing over a newer one', async () => {
  const world = changingMessages('chat');
  const channel = world.add('general');
  channel.write('1', { text: 'one' });
  await sync(world);
  world.places.clear();
  const { listContainers } = world.source;
  const late = { ...world.source };
  late.listContainers = async (signal) => {
    const old = await listContainers(signal);
    world.places.set('general', channel.place);
    now += 90_000;
    await sync(world);
    return old;
  };
  now += 1_000;
  expect(await syncFamily(parts(), audit(), late, never)).toMatchObject({ removed: { items: [] } });
  expect(await stored('general')).toHaveLength(1);
});

test('another tenant sees none of it', async () => {
  const world = changingMessages('chat');
  world.add('general').write('1', { text: `Pay to ${IBAN}`, attachments: [file('a.txt', 'a')] });
  await sync(world);
  const other = `${tenantId}-other` as TenantId;
  await makeTenant(database, other, now);
  for (const table of [
    'message_syncs',
    'message_containers',
    'message_feeds',
    'messages',
    'message_attachments',
    'message_findings',
  ]) {
    const count = (of: TenantId) =>
      withTx(
        database.db,
        { tenantId: of, mode: 'read' },
        async (tx) => (await tx.query(sql`select from ${sql.ident(table)}`)).length,
      );
    expect([table, await count(other), (await count(tenantId)) > 0]).toEqual([table, 0, true]);
  }
});

test('nothing of a text, a subject or a name of a file is in the audit trail', async () => {
  const world = changingMessages('chat');
  world.add('canary-channel', { groupName: 'canary-team' }).write('1', {
    ...{ subject: 'canary-subject', text: 'canary-text' },
    attachments: [file('canary-file.txt', 'canary-copy')],
  });
  await sync(world);
  world.places.clear();
  await sync(world);
  expect(JSON.stringify(await audited())).not.toContain('canary');
});
