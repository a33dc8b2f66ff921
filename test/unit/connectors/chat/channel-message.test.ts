import { afterEach, beforeEach, expect, test } from 'vitest';
import { cardText } from '../../../../core/connectors/chat/card-text.ts';
import type { MessageSource } from '../../../../core/connectors/message-source.ts';
import type { AccountKind, ChatAuthor } from '../../../support/graph/chat-state.ts';
import { channelSourceOf, chatFake, followed } from '../../../support/graph/chat-tenant.ts';
import type { FakeChannel, GraphFake } from '../../../support/graph/graph-fake.ts';
import { guidOf } from '../../../support/graph/ids.ts';

let fake: GraphFake;
let general: FakeChannel;
let source: MessageSource;

beforeEach(async () => {
  fake = await chatFake();
  general = fake.channel('Sales', 'General');
  source = channelSourceOf(fake, [general.team.id]);
});
afterEach(async () => {
  expect(fake.violations).toEqual([]);
  await fake.close();
});

const read = async (id: string) => (await followed(source, general.externalId)).messages.get(id);
const author = (kind: AccountKind, tenant: string): ChatAuthor => ({
  ...{ id: guidOf('somebody'), displayName: 'Somebody', kind, tenantId: guidOf(`tenant/${tenant}`) },
});

test.each([
  ['aadUser', 'Elsewhere', true],
  ['federatedUser', 'Small', true],
  ['anonymousGuest', 'Small', true],
  ['personalMicrosoftAccountUser', 'Small', true],
  // A guest of the tenant looks like this too.
  ['aadUser', 'Small', null],
] as const)('the author %s of the tenant %s is from outside: %s', async (kind, tenant, outside) => {
  const id = general.post('hello', { author: author(kind, tenant) });
  expect((await read(id))?.hasOutsiders).toBe(outside);
});

test('a message has its subject, its time of sending and of editing', async () => {
  const id = general.post('<p>hello</p>', { subject: 'Prices' });
  general.edit(id, '<p>hello again</p>');
  expect(await read(id)).toMatchObject({
    ...{ subject: 'Prices', body: { mimeType: 'text/html', text: '<p>hello again</p>' } },
    sentAt: new Date(Number(id)).toISOString(),
    editedAt: new Date(general.channel.roots.get(id)?.editedAt ?? 0).toISOString(),
  });
});

test('events of the system are left out, and are not reported as gone', async () => {
  const id = general.systemEvent();
  const state = await followed(source, general.externalId);
  expect([state.messages.has(id), state.gone.has(id)]).toEqual([false, false]);
});

test('a file is a link, and the text of a card is read', async () => {
  const card = {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    body: [
      { type: 'TextBlock', text: 'Invoice 17' },
      { type: 'FactSet', facts: [{ title: 'IBAN', value: 'DE89 3704 0044 0532 0130 00' }] },
      { type: 'Image', url: 'https://images.example/a.png', altText: 'A stamp' },
    ],
  };
  const id = general.post('see', {
    attachments: [
      {
        contentType: 'reference',
        name: 'Prices.xlsx',
        contentUrl: 'https://small.sharepoint.com/sites/Sales/a',
      },
      { contentType: 'application/vnd.microsoft.card.adaptive', content: JSON.stringify(card) },
      {
        contentType: 'messageReference',
        content: JSON.stringify({ messageId: '1', messagePreview: 'as you said' }),
      },
      {
        contentType: 'application/vnd.microsoft.card.codesnippet',
        content: '{"language":"sql","lines":2}',
        name: 'x',
      },
      { contentType: 'application/vnd.microsoft.card.hero', content: 'no JSON' },
    ],
  });
  const attachments = (await read(id))?.attachments;
  if (!Array.isArray(attachments)) return expect.unreachable('A listing has all attachments.');
  expect(attachments.map(({ kind, name, url }) => [kind, name, url])).toEqual([
    ['reference', 'Prices.xlsx', 'https://small.sharepoint.com/sites/Sales/a'],
    ['card', null, null],
    ['card', null, null],
    ['card', 'x', null],
    ['card', null, null],
  ]);
  expect(
    attachments.map(({ content }) =>
      content.state === 'available' ? Buffer.from(content.bytes).toString() : content.state,
    ),
  ).toEqual([
    'link',
    'Invoice 17\nIBAN\nDE89 3704 0044 0532 0130 00\nA stamp',
    'as you said',
    'link',
    'link',
  ]);
});

test('a card is read within bounds', () => {
  const deep = `${'{"body":['.repeat(1000)}{"text":"deep"}${']}'.repeat(1000)}`;
  expect(cardText(deep)).toBe('deep');
  expect(
    cardText(JSON.stringify({ body: Array.from({ length: 50_000 }, () => ({ text: 'abc' })) })).length,
  ).toBeLessThan(70_000);
  expect(cardText(JSON.stringify({ text: 'x'.repeat(1_000_000) }))).toHaveLength(65_536);
  expect([cardText('null'), cardText('[]'), cardText('{'), cardText('"text"')]).toEqual(['', '', '', '']);
});
