import { expect, test } from 'vitest';
import type { MessageSource, SourceMessage } from '../../../core/connectors/message-source.ts';
import { fixtureBytes } from '../../../infra/local/fixture/fixture-content.ts';
import { fixtureMessages } from '../../../infra/local/fixture/fixture-messages.ts';
import { FIXTURE_SEED, seedFixture } from '../../../infra/local/fixture/seed-fixture.ts';

const signal = new AbortController().signal;

async function walk(source: MessageSource, externalId: string, feed: string) {
  const messages: SourceMessage[] = [];
  let cursor: string | null = null;
  for (;;) {
    const page = await source.listMessages(externalId, feed, cursor, signal);
    messages.push(...page.messages);
    cursor = page.cursor;
    if (page.isCaughtUp) return { messages, cursor, isWhole: page.isWhole };
  }
}

test.each(['chat', 'mail'] as const)(
  'a walk of %s shows each message once, then nothing new',
  async (family) => {
    const source = fixtureMessages(family);
    const { containers } = await source.listContainers(signal);
    const seen: string[] = [];
    for (const { externalId } of containers) {
      for (const feed of await source.listFeeds(externalId, signal)) {
        const { messages, cursor, isWhole } = await walk(source, externalId, feed);
        expect(isWhole).toBe(true);
        seen.push(...messages.map((message) => message.externalId));
        expect(messages.every((message) => message.feed === feed)).toBe(true);
        const again = await source.listMessages(externalId, feed, cursor, signal);
        expect(again).toMatchObject({ messages: [], isCaughtUp: true, isWhole: false });
      }
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toHaveLength(family === 'chat' ? 19 : 9);
  },
);

test('every identifier of the fixture is made, the same each time', async () => {
  const [first, second] = await Promise.all(
    [1, 2].map(() => walk(fixtureMessages('chat'), 'team-finance/general', '')),
  );
  expect(first).toEqual(second);
  expect(first?.messages[2]?.body?.text).toMatch(
    /account of our carrier is DE\d\d( \d{4}){4} \d\d, BIC [A-Z]/,
  );
});

test('a file of a channel leads to its document, and other addresses to none', async () => {
  const source = fixtureMessages('chat');
  const { messages } = await walk(source, 'team-finance/general', '');
  const link = messages[0]?.attachments[0];
  if (typeof link !== 'object' || link.url === null) throw new Error('no link');
  const item = seedFixture(FIXTURE_SEED).items.find((each) => each.template === 'invoice');
  expect(await source.findBackingItem(link.url, signal)).toEqual({
    scopeExternalId: 'site-finance',
    externalId: item?.externalId,
  });
  expect(await source.findBackingItem('https://elsewhere.example/a', signal)).toBeNull();
});

test('a copy in a mail has the bytes of a document, within bounds', async () => {
  const source = fixtureMessages('mail');
  const read = (maxBytes: number) =>
    source.readAttachments('invoices@nordwind.example', 'inv-2', maxBytes, signal);
  const item = seedFixture(FIXTURE_SEED).items.find((each) => each.template === 'invoice');
  if (item === undefined) throw new Error('no invoice');
  expect(await read(10_000_000)).toMatchObject([
    { kind: 'file', url: null, content: { state: 'available', bytes: fixtureBytes(item) } },
  ]);
  expect(await read(10)).toMatchObject([{ content: { state: 'too_large' } }]);
});
