import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import type { DomainId } from '../../core/kernel/ids.ts';
import { addOwner } from '../support/add-owner.ts';
import { storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { storeContainer, storeMessage, storeMessageFinding } from '../support/messages.ts';
import { said } from '../support/review.ts';
import { DEV, inOther, OTHER, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const HASH = 'ab'.repeat(32);
const IBAN = { detectorId: 'iban', count: 2, confidence: 0.99 };

type Item = Record<string, unknown>;
type List = { items: Item[]; truncated: boolean; total: number; totalIsExact: boolean };

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let auditor: SignedIn;
/** Operates, and owns finance. */
let both: SignedIn;
let other: SignedIn;

const library = (item: string) => ({ scope: 'site-test', item });

async function storeConversations(): Promise<void> {
  const audience = { members: 9, guests: 2, outsiders: 1, isOpen: false, complete: true };
  const store = storeContainer.bind(null, database, DEV);
  await store('mct_pilot', { family: 'chat', name: 'Pilot', groupName: 'Sales', kind: 'shared', audience });
  await store('mct_general', { family: 'chat', name: 'General', groupName: 'Finance', filesFolder: true });
  await store('mct_denied', { family: 'chat', name: 'Denied', groupName: 'Sales', coverage: 'refused' });
  await store('mct_going', { family: 'chat', name: 'Going', selection: 'going' });
  await store('mct_kept', { family: 'mail', name: 'old@nordwind.example', selection: 'kept' });
  await store('mct_box', { family: 'mail', name: 'invoices@nordwind.example' });
  await storeContainer(database, OTHER, 'mct_other', { family: 'chat', name: 'Elsewhere' });

  const message = storeMessage.bind(null, database, DEV);
  await message('msg_1', { containerId: 'mct_general', sentAt: '2026-09-01T10:00:00Z' });
  await message('msg_2', {
    ...{ containerId: 'mct_general', rootId: 'msg_1', sentAt: '2026-09-01T11:00:00Z', signals: [IBAN] },
  });
  await message('msg_3', { containerId: 'mct_general', rootId: 'msg_1', sentAt: '2026-09-01T10:30:00Z' });
  await message('msg_orphan', { containerId: 'mct_general', rootId: 'gone', sentAt: null });
  await message('msg_pilot', {
    containerId: 'mct_pilot',
    sentAt: '2026-09-03T10:00:00Z',
    hasOutsiders: true,
  });
  await message('msg_inside', {
    ...{ containerId: 'mct_pilot', sentAt: '2026-09-02T10:00:00Z', hasOutsiders: false, preview: null },
    attachments: [
      { kind: 'reference', name: 'Seen.docx', backing: library('ext-ast_seen') },
      { kind: 'reference', name: 'Late.docx', backing: library('ext-ast_late') },
      { kind: 'reference', name: 'Elsewhere.docx', backing: { scope: 'site-unselected', item: 'x' } },
      { kind: 'reference', name: 'Unknown.docx' },
    ],
  });
  await message('msg_going', { containerId: 'mct_going' });
  await message('msg_mail', {
    containerId: 'mct_box',
    attachments: [{ kind: 'file', name: 'Copy.docx', hash: HASH, signals: [IBAN] }],
  });
  await message('msg_kept', { containerId: 'mct_kept', sentAt: '2026-08-01T10:00:00Z' });
  await storeMessage(database, OTHER, 'msg_other', { containerId: 'mct_other' });

  const finding = storeMessageFinding.bind(null, database, DEV);
  await finding('mfd_2', { containerId: 'mct_general', messageId: 'msg_2' });
  await finding('mfd_pilot', { containerId: 'mct_pilot', severity: 'critical' });
  await finding('mfd_old', { containerId: 'mct_general', messageId: 'msg_1', isResolved: true });
  await finding('mfd_going', { containerId: 'mct_going', messageId: 'msg_going' });
  await finding('mfd_mail', { containerId: 'mct_box', messageId: 'msg_mail', severity: 'high' });
  await storeMessageFinding(database, OTHER, 'mfd_other', {
    containerId: 'mct_other',
    messageId: 'msg_other',
  });
}

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
  auditor = await service.signInAs(PERSONA.auditor);
  await addOwner(database, 'pri_both', {
    roles: ['platform_admin', 'domain_owner'],
    domainId: 'dom_finance' as DomainId,
  });
  both = await service.signInAs('pri_both');
  other = await service.signInAs(inOther(PERSONA.platformAdmin));
  await storeScanned(database.db, DEV, [
    {
      ...{ assetId: 'ast_seen', name: 'Seen.docx', contentHash: HASH },
      said: [said('dom_finance', 'ift_invoices', 0.9)],
    },
    { assetId: 'ast_foreign', name: 'Foreign.docx', contentHash: HASH },
  ]);
  await storeConversations();
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const list = async (path: string, who = admin) => {
  const { status, body } = await who.get<List>(path);
  expect(status, path).toBe(200);
  return body;
};
const idsOf = async (path: string, id: string, who = admin) =>
  (await list(path, who)).items.map((item) => item[id]);
const messageIds = (query: string) => idsOf(`/api/chat/messages?${query}`, 'messageId');

describe('channels and mailboxes', () => {
  test('are listed by team and name, each family apart, without those that are going', async () => {
    expect(await idsOf('/api/chat/channels', 'name')).toEqual(['General', 'Denied', 'Pilot']);
    expect(await idsOf('/api/mail/mailboxes', 'name')).toEqual([
      'invoices@nordwind.example',
      'old@nordwind.example',
    ]);
    expect(await idsOf('/api/chat/channels?coverage=refused', 'name')).toEqual(['Denied']);
    expect(await list('/api/chat/channels?limit=1')).toMatchObject({ truncated: true, total: 3 });
  });

  test('say who can read them, what is stored, and when they are synced', async () => {
    const { items } = await list('/api/chat/channels');
    expect(items[0]).toMatchObject({
      ...{ containerId: 'mct_general', groupName: 'Finance', kind: 'standard', mode: 'mock' },
      ...{ audience: null, filesFolder: 'known', coverage: 'covered', refusedReason: null },
      ...{ lastSyncedAt: '2026-10-01T08:00:00.000Z', dueAt: '2026-10-02T08:00:00.000Z' },
      ...{ selected: true, messages: 4, messagesAreExact: true, openFindings: 1 },
    });
    expect(items[1]).toMatchObject({ coverage: 'refused', refusedReason: 'denied', lastSyncedAt: null });
    expect(items[2]).toMatchObject({
      audience: { members: 9, guests: 2, outsiders: 1, isOpen: false, isComplete: true },
      filesFolder: 'unknown',
    });
    expect((await list('/api/mail/mailboxes')).items).toMatchObject([
      { groupName: null, filesFolder: null, selected: true },
      { selected: false, dueAt: null, messages: 1 },
    ]);
  });
});

describe('messages', () => {
  test('are listed the newest first, those without a time last', async () => {
    const all = ['msg_pilot', 'msg_inside', 'msg_2', 'msg_3', 'msg_1', 'msg_orphan'];
    expect(await messageIds('')).toEqual(all);
    expect(await list('/api/chat/messages?limit=2')).toMatchObject({
      ...{ truncated: true, total: 6, totalIsExact: true },
      items: [{ messageId: 'msg_pilot' }, { messageId: 'msg_inside' }],
    });
    expect(await idsOf('/api/mail/messages', 'messageId')).toEqual(['msg_mail', 'msg_kept']);
  });

  test.each([
    ['containerId=mct_pilot', ['msg_pilot', 'msg_inside']],
    ['containerId=mct_other', []],
    ['containerId=mct_box', []],
    ['detectorId=iban', ['msg_2']],
    ['identifiers=proven', ['msg_2']],
    ['outsiders=with', ['msg_pilot']],
    ['outsiders=without', ['msg_inside']],
    ['sentFrom=2026-09-01T11:00:00Z&sentBefore=2026-09-03T10:00:00Z', ['msg_inside', 'msg_2']],
    ['containerId=mct_general&identifiers=proven&detectorId=email_address', []],
  ])('are filtered by %s', async (query, expected) => {
    expect(await messageIds(query)).toEqual(expected);
    expect((await list(`/api/chat/messages?${query}`)).total).toBe(expected.length);
  });

  test('are found by the finds of a detector in an attachment', async () => {
    expect(await idsOf('/api/mail/messages?detectorId=iban', 'messageId')).toEqual(['msg_mail']);
    expect(await idsOf('/api/mail/messages?detectorId=credit_card', 'messageId')).toEqual([]);
  });

  test('have a preview, and signals by the name of the identifier', async () => {
    const { items } = await list('/api/chat/messages?detectorId=iban');
    expect(items[0]).toMatchObject({
      ...{ containerName: 'General', groupName: 'Finance', preview: 'Preview of msg_2' },
      signals: [{ ...IBAN, title: 'International bank account number' }],
    });
  });

  test('of a thread name its root, and the detail has the others and the findings', async () => {
    const { body } = await admin.get<Item>('/api/chat/messages/msg_2');
    expect(body).toMatchObject({
      ...{ messageId: 'msg_2', isReply: true, rootMessageId: 'msg_1' },
      thread: { items: [{ messageId: 'msg_1', isReply: false }, { messageId: 'msg_3' }], truncated: false },
      findings: [{ findingId: 'mfd_2', status: 'open' }],
    });
    const root = (await admin.get<Item>('/api/chat/messages/msg_1')).body;
    expect(root).toMatchObject({ thread: { items: [{ messageId: 'msg_3' }, { messageId: 'msg_2' }] } });
    const orphan = (await admin.get<Item>('/api/chat/messages/msg_orphan')).body;
    expect(orphan).toMatchObject({ isReply: true, rootMessageId: null, thread: { items: [] } });
  });

  test.each([
    '/api/chat/messages/msg_none',
    '/api/chat/messages/msg_other',
    '/api/chat/messages/msg_going',
    '/api/chat/messages/msg_mail',
    '/api/mail/messages/msg_1',
  ])('%s is not found', async (path) => {
    expect(await admin.get(path)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  });

  test('keep no preview under a profile that keeps no text, whatever was stored', async () => {
    const setProfile = (profile: string) =>
      database.inspect(sql`update tenants set data_handling_profile = ${profile} where tenant_id = ${DEV}`);
    const [before] = await database.inspect<{ profile: string }>(
      sql`select data_handling_profile as profile from tenants where tenant_id = ${DEV}`,
    );
    await setProfile('metadata_only');
    const { items } = await list('/api/chat/messages');
    expect(items.every(({ preview }) => preview === null)).toBe(true);
    await setProfile(before?.profile ?? '');
  });

  test('are read with a trace: the number of previews and the message', async () => {
    const events = async () =>
      (await auditor.get<{ items: Item[] }>('/api/audit?category=evidence_access')).body.items.map(
        ({ type, target, details }) => ({ type, target, details }),
      );
    await admin.get('/api/chat/messages/msg_2');
    const type = 'message_previews_read';
    const target = { kind: 'message', id: 'msg_2' };
    expect((await events())[0]).toMatchObject({ type, target, details: { family: 'chat', previews: 3 } });
    await admin.get('/api/chat/messages?containerId=mct_pilot');
    expect((await events())[0]).toMatchObject({
      type,
      target: null,
      details: { family: 'chat', previews: 1 },
    });
  });
});

describe('the document of a link', () => {
  const documents = async (who: SignedIn) => {
    const { items } = await list('/api/chat/messages?outsiders=without', who);
    const { attachments } = items[0] as { attachments: { canonicalDocument: unknown }[] };
    return attachments.map(({ canonicalDocument }) => canonicalDocument);
  };
  const missing = { state: 'not_inventoried', assetId: null, name: null };

  test('is the asset of the library, named to those who may see it', async () => {
    const [seen, late, unselected, unknown] = await documents(auditor);
    expect(seen).toEqual({ state: 'inventoried', assetId: 'ast_seen', name: 'Seen.docx' });
    expect([late, unselected, unknown]).toEqual([missing, missing, null]);
    expect((await documents(both))[0]).toMatchObject({ assetId: 'ast_seen', name: 'Seen.docx' });
    expect((await documents(admin))[0]).toMatchObject({ assetId: 'ast_seen', name: null });
  });

  test('is the same one if the library is read after the message', async () => {
    await storeScanned(database.db, DEV, [{ assetId: 'ast_late', name: 'Late.docx' }]);
    expect((await documents(auditor))[1]).toEqual({
      ...{ state: 'inventoried', assetId: 'ast_late', name: 'Late.docx' },
    });
    const assets = await list('/api/assets?q=late', auditor);
    expect(assets.items.map(({ assetId }) => assetId)).toEqual(['ast_late']);
    await database.inspect(sql`
      update assets set status = 'deleted', deleted_at = now() where tenant_id = ${DEV} and asset_id = 'ast_late'`);
    expect((await documents(auditor))[1]).toEqual(missing);
  });
});

describe('assets with the same bytes as a copy', () => {
  const alike = async (who: SignedIn) => {
    const { items } = await list('/api/mail/messages', who);
    return (items[0] as { attachments: { alike: unknown }[] }).attachments[0]?.alike;
  };

  test('are shown beside it, named to those who may see them', async () => {
    const shown = (foreign: string | null, seen: string | null) => ({
      items: [
        { assetId: 'ast_foreign', name: foreign },
        { assetId: 'ast_seen', name: seen },
      ],
      truncated: false,
    });
    expect(await alike(auditor)).toEqual(shown('Foreign.docx', 'Seen.docx'));
    expect(await alike(both)).toEqual(shown(null, 'Seen.docx'));
    expect(await alike(admin)).toEqual(shown(null, null));
  });

  test('are at most five', async () => {
    await storeScanned(
      database.db,
      DEV,
      [1, 2, 3, 4].map((n) => ({ assetId: `ast_zz_${n}`, contentHash: HASH })),
    );
    const { items, truncated } = (await alike(admin)) as List;
    expect([items.length, truncated]).toEqual([5, true]);
  });
});

describe('findings of messages', () => {
  test('are the open ones, the most severe first, with what to do', async () => {
    const { items, total } = await list('/api/chat/findings');
    expect(items).toMatchObject([
      {
        ...{ findingId: 'mfd_pilot', kind: 'outsiders', severity: 'critical', messageId: null },
        ...{ containerName: 'Pilot', toDo: expect.stringContaining('owner of the team') },
      },
      {
        ...{ findingId: 'mfd_2', kind: 'identifiers', messageId: 'msg_2' },
        ...{ groupName: 'Finance', toDo: expect.stringContaining('author') },
      },
    ]);
    expect(total).toBe(2);
    expect(await idsOf('/api/mail/findings', 'findingId')).toEqual(['mfd_mail']);
  });

  test.each([
    ['status=all', ['mfd_pilot', 'mfd_old', 'mfd_2']],
    ['status=resolved', ['mfd_old']],
    ['kind=identifiers', ['mfd_2']],
    ['severity=critical', ['mfd_pilot']],
    ['containerId=mct_general', ['mfd_2']],
  ])('are filtered by %s', async (query, expected) => {
    expect(await idsOf(`/api/chat/findings?${query}`, 'findingId')).toEqual(expected);
  });

  test('that are resolved need nothing', async () => {
    const { items } = await list('/api/chat/findings?status=resolved');
    expect(items[0]).toMatchObject({ toDo: null, resolvedAt: '2026-09-02T10:00:00.000Z' });
  });
});

describe('counts of messages', () => {
  test('are in the overview of operations, of the own tenant', async () => {
    type Overview = { messages: Item[] };
    const { body } = await admin.get<Overview>('/api/ops/overview');
    expect(body.messages).toMatchObject([
      { family: 'chat', containers: 3, covered: 2, refused: 1, messages: 6, openFindings: 2 },
      {
        ...{ family: 'mail', containers: 1, notSelected: 1, covered: 1, refused: 0 },
        ...{ messages: 2, openFindings: 1 },
      },
    ]);
    expect(body.messages[0]).toMatchObject({ lastSyncedAt: '2026-10-01T08:00:00.000Z' });
    expect((await other.get<Overview>('/api/ops/overview')).body.messages).toMatchObject([
      { family: 'chat', containers: 1, messages: 1 },
      { family: 'mail', containers: 0, messages: 0, lastSyncedAt: null },
    ]);
  });

  test('are in the report of connectors', async () => {
    const { items } = await list('/api/admin/connectors');
    const ofFamily = (family: string) => items.find((item) => item.family === family);
    expect(ofFamily('chat')).toMatchObject({
      ...{ scopes: { registered: 3, selected: 3 }, assetsNotSelected: 0 },
      lastContactAt: '2026-10-01T08:00:00.000Z',
    });
    expect(ofFamily('mail')).toMatchObject({
      ...{ scopes: { registered: 2, selected: 1 }, assetsNotSelected: 1 },
    });
  });
});

describe('views of messages', () => {
  const PATHS = [
    '/api/chat/channels',
    '/api/chat/messages',
    '/api/chat/messages/msg_1',
    '/api/chat/findings',
    '/api/mail/mailboxes',
    '/api/mail/messages',
    '/api/mail/messages/msg_mail',
    '/api/mail/findings',
  ];

  test.each(PATHS)('%s is for operators and auditors', async (path) => {
    for (const who of [admin, auditor, both]) expect((await who.get(path)).status).toBe(200);
    expect((await service.anonymous.get(path)).status).toBe(401);
    for (const persona of [PERSONA.governanceAdmin, PERSONA.financeOwner, PERSONA.approver, PERSONA.nobody]) {
      const who = await service.signInAs(persona);
      const { status, text } = await who.get(path);
      expect([status, text.includes('not_permitted')], persona).toEqual([403, true]);
      expect(text).not.toMatch(/msg_|mct_|nordwind|Pilot/);
    }
  });

  test('show another tenant its own alone', async () => {
    expect(await idsOf('/api/chat/channels', 'name', other)).toEqual(['Elsewhere']);
    expect(await idsOf('/api/chat/messages', 'messageId', other)).toEqual(['msg_other']);
    expect(await idsOf('/api/chat/findings', 'findingId', other)).toEqual(['mfd_other']);
    expect(await list('/api/mail/messages', other)).toMatchObject({ items: [], total: 0 });
    expect((await other.get('/api/chat/messages/msg_1')).status).toBe(404);
  });

  test('refuse an unknown filter', async () => {
    for (const query of ['q=x', 'outsiders=maybe', 'sentFrom=yesterday', 'limit=201'])
      expect((await admin.get(`/api/chat/messages?${query}`)).status, query).toBe(400);
  });
});
