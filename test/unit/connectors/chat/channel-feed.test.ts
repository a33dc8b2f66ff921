import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConnectorError, DeltaCursorInvalid, ScopeRefused } from '../../../../core/connectors/connector.ts';
import type { MessageSource } from '../../../../core/connectors/message-source.ts';
import { safeDiagnostic } from '../../../../core/kernel/safe-text.ts';
import { channelSourceOf, chatFake, followed } from '../../../support/graph/chat-tenant.ts';
import type { Fault } from '../../../support/graph/faults.ts';
import type { FakeChannel, GraphFake } from '../../../support/graph/graph-fake.ts';
import type { Family } from '../../../support/graph/route.ts';

const live = new AbortController().signal;
const CANARY = 'CANARY-4711';
const DAY = 24 * 3_600_000;
const NOW = Date.parse('2026-11-27T12:00:00Z');

let now = NOW;
let fake: GraphFake;
let general: FakeChannel;
let source: MessageSource;

beforeEach(async () => {
  now = NOW;
  fake = await chatFake({ clock: () => now });
  general = fake.channel('Sales', 'General');
  source = channelSourceOf(fake, [general.team.id]);
});
afterEach(async () => {
  expect(fake.violations).toEqual([]);
  expect(fake.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
  await fake.close();
});

const follow = (before?: Parameters<typeof followed>[2]) => followed(source, general.externalId, before);
const texts = (state: Awaited<ReturnType<typeof followed>>) =>
  [...state.messages.values()].map(({ body }) => body?.text).toSorted();

/** What people see in the channel. */
const truth = () =>
  [...general.channel.roots.values(), ...[...general.channel.replies.values()].flat()]
    .filter(({ type, deletedAt }) => type === 'message' && deletedAt === null)
    .map(({ html }) => html)
    .toSorted();

describe('a walk', () => {
  test('shows all messages with their replies, also those of more than eight months ago', async () => {
    const old = general.post('old', { at: NOW - 300 * DAY });
    general.reply(old, 'old reply', { at: NOW - 299 * DAY });
    for (let n = 0; n < 120; n++) general.reply(general.post(`root ${n}`), `reply ${n}`);
    general.systemEvent();
    const state = await follow();
    expect(texts(state)).toEqual(truth());
    expect(state.messages.size).toBe(242);
    expect(Math.max(...state.pages)).toBeLessThanOrEqual(50);
    expect(state.messages.get(old)).toMatchObject({
      ...{ externalId: old, rootExternalId: null, feed: '', hasOutsiders: null, editedAt: null },
      ...{ sentAt: new Date(Number(old)).toISOString(), body: { mimeType: 'text/html', text: 'old' } },
    });
    const reply = [...state.messages.values()].find(({ body }) => body?.text === 'old reply');
    expect(reply).toMatchObject({ rootExternalId: old, externalId: expect.stringMatching(`^${old}/\\d+$`) });
  });

  test('ends with the changes since it began, and only then claims to be whole', async () => {
    const first = general.post('first');
    const page = await source.listMessages(general.externalId, '', null, live);
    expect(page).toMatchObject({ messages: [], isWhole: false, isCaughtUp: false });
    let { cursor } = await source.listMessages(general.externalId, '', page.cursor, live);
    general.edit(first, 'first, edited');
    general.post('second');
    const ends: boolean[] = [];
    const shown: unknown[] = [];
    for (let caughtUp = false; !caughtUp; ) {
      const next = await source.listMessages(general.externalId, '', cursor, live);
      shown.push(...next.messages.map(({ body }) => body?.text));
      ends.push(next.isWhole);
      ({ cursor, isCaughtUp: caughtUp } = next);
    }
    expect(shown).toContain('first, edited');
    expect(shown).toContain('second');
    expect([ends.at(-1), ends.slice(0, -1).includes(true)]).toEqual([true, false]);
  });

  test('of an empty channel is whole', async () => {
    expect((await follow()).messages.size).toBe(0);
  });

  test('shows the replies to a root that has more of them than a page of Graph', async () => {
    fake.tenant().quirks.expandedReplies = 30;
    const [before, root, bare, after] = ['before', 'root', 'bare', 'after'].map((text) => general.post(text));
    for (let n = 0; n < 205; n++) general.reply(root ?? '', `reply ${n}`);
    for (let n = 0; n < 31; n++) general.reply(bare ?? '', `other ${n}`);
    const state = await follow();
    expect(texts(state)).toEqual(truth());
    expect([before, after].map((id) => state.messages.get(id ?? '')?.body?.text)).toEqual([
      'before',
      'after',
    ]);
    expect(Math.max(...state.pages)).toBeLessThanOrEqual(50);
  });

  test('asks Graph once for a page that fills several pages of the service', async () => {
    const root = general.post('root');
    for (let n = 0; n < 300; n++) general.reply(root, `reply ${n}`);
    const { pages } = await follow();
    // An empty page, then one of the delta, one of the plain list, and the changes since.
    expect(fake.callsOf('channel_delta')).toHaveLength(3);
    expect(fake.callsOf('channel_messages')).toHaveLength(1);
    expect(pages.length).toBeGreaterThan(12);
  });

  test('goes on from a stored cursor in another process', async () => {
    for (let n = 0; n < 130; n++) general.post(`root ${n}`);
    const shown = new Set<string>();
    let cursor: string | null = null;
    for (let caughtUp = false; !caughtUp; ) {
      const page = await channelSourceOf(fake, [general.team.id]).listMessages(
        general.externalId,
        '',
        cursor,
        live,
      );
      for (const { externalId } of page.messages) shown.add(externalId);
      ({ cursor, isCaughtUp: caughtUp } = page);
    }
    expect(shown.size).toBe(130);
  });

  test('takes fewer roots at once where an answer is too large', async () => {
    const long = 'x'.repeat(25_000);
    for (let n = 0; n < 10; n++) {
      const root = general.post(`root ${n}`);
      for (let m = 0; m < 80; m++) general.reply(root, long);
    }
    const state = await follow();
    expect(state.messages.size).toBe(810);
    expect(
      fake
        .callsOf('channel_delta')
        .some(({ path }) => path.includes('%24top=5&') || path.includes('$top=5&')),
    ).toBe(true);
  });
});

describe('the changes', () => {
  test('are new messages, replies, edits and deletions, and nothing else', async () => {
    const roots = Array.from({ length: 60 }, (_, n) => general.post(`root ${n}`));
    const [edited = '', deleted = '', answered = ''] = roots;
    const before = await follow();
    fake.clearCalls();
    general.edit(edited, 'edited');
    general.delete(deleted);
    const reply = general.reply(answered, 'a late answer');
    const posted = general.post('new');
    const state = await follow(before);
    expect(texts(state)).toEqual(truth());
    expect([...state.gone]).toEqual([deleted]);
    expect(state.messages.get(edited)?.editedAt).not.toBeNull();
    expect(state.messages.has(`${answered}/${reply}`)).toBe(true);
    expect(state.messages.has(posted)).toBe(true);
    expect(fake.calls.map(({ family }) => family)).toEqual(['channel_delta']);
  });

  test('of nothing cost one call', async () => {
    general.post('root');
    const before = await follow();
    fake.clearCalls();
    expect((await follow(before)).pages).toEqual([0]);
    expect(fake.calls).toHaveLength(1);
  });

  test('keep the replies to a root that is deleted, and take a reply that is', async () => {
    const root = general.post('root');
    const [kept, gone] = [general.reply(root, 'kept'), general.reply(root, 'gone')];
    const before = await follow();
    general.delete(root);
    general.delete(gone);
    const state = await follow(before);
    expect([...state.gone].toSorted()).toEqual([root, `${root}/${gone}`].toSorted());
    expect([...state.messages.keys()]).toEqual([`${root}/${kept}`]);
    expect(texts(await follow())).toEqual(['kept']);
  });

  test('by a reaction move the version of the source, and not of the content', async () => {
    const id = general.post('root', { attachments: [{ name: 'a.txt', contentUrl: 'https://a.example' }] });
    const before = await follow();
    general.react(id);
    const after = await follow(before);
    const [one, other] = [before, after].map(({ messages }) => messages.get(id));
    expect(other?.sourceVersion).not.toBe(one?.sourceVersion);
    expect(other?.contentVersion).toBe(one?.contentVersion);
    general.edit(id, 'edited');
    expect((await follow(after)).messages.get(id)?.contentVersion).not.toBe(one?.contentVersion);
  });

  test('of a message that the delta no longer has are found by the next walk', async () => {
    const old = general.post('old', { at: NOW - 300 * DAY });
    const other = general.post('other', { at: NOW - 300 * DAY });
    const before = await follow();
    general.edit(old, 'old, edited');
    general.delete(other);
    expect(texts(await follow(before))).toEqual(['old', 'other']);
    const walked = await follow({ messages: before.messages });
    expect(texts(walked)).toEqual(['old, edited']);
  });
});

/** What a fault makes of a page. */
const FAULTS: [name: string, on: Family, fault: Fault, outcome: (error: unknown) => boolean][] = [
  ...(
    [
      ['403', 'denied'],
      ['404', 'not_found'],
      ['423', 'locked'],
    ] as const
  ).flatMap(([status, reason]) =>
    (['channel_delta', 'channel_messages'] as const).map((on): (typeof FAULTS)[number] => [
      status,
      on,
      { kind: 'error', status: Number(status), code: CANARY, message: CANARY },
      (error) => error instanceof ScopeRefused && error.reason === reason,
    ]),
  ),
  [
    '410',
    'channel_delta',
    { kind: 'error', status: 410, code: 'SyncStateNotFound' },
    (e) => e instanceof DeltaCursorInvalid,
  ],
  ['repeated link', 'channel_delta', { kind: 'repeatLink' }, isTransient],
  ['repeated link', 'channel_messages', { kind: 'repeatLink' }, isTransient],
  ['foreign link', 'channel_delta', { kind: 'foreignLink', origin: 'https://evil.example' }, isRefusedLink],
  [
    'foreign link',
    'channel_messages',
    { kind: 'foreignLink', origin: 'https://evil.example' },
    isRefusedLink,
  ],
  [
    'long wait',
    'channel_delta',
    { kind: 'throttle', retryAfter: 120 },
    (e) => isOf(e, 'throttled') && e.retryAfterMs === 120_000,
  ],
  [
    'long wait',
    'channel_messages',
    { kind: 'throttle', retryAfter: 90 },
    (e) => isOf(e, 'throttled') && e.retryAfterMs === 90_000,
  ],
  ['gateway', 'channel_delta', { kind: 'html', status: 502 }, isTransient],
  ['no JSON', 'channel_messages', { kind: 'brokenJson' }, isTransient],
];
function isOf(error: unknown, retryClass: string): error is ConnectorError {
  return error instanceof ConnectorError && error.retryClass === retryClass;
}
function isTransient(error: unknown): boolean {
  return isOf(error, 'transient');
}
function isRefusedLink(error: unknown): boolean {
  return error instanceof ConnectorError && error.safeDiagnostic.endsWith('_link_refused');
}

const isRestart = (error: unknown): boolean => error instanceof DeltaCursorInvalid;

/** What a log may hold of an error: one of the known diagnostics. */
function diagnosticOf(error: unknown): string {
  if (!(error instanceof ConnectorError)) return expect.unreachable('A source throws nothing else.');
  expect(safeDiagnostic(error.safeDiagnostic)).toBe(error.safeDiagnostic);
  return JSON.stringify([error.message, error.stack, error.cause, error]);
}

describe('a fault', () => {
  test.each(FAULTS)(
    '%s of %s ends the page as it must, and the walk goes on after it',
    async (_name, on, fault, isRight) => {
      for (let n = 0; n < 170; n++) general.post(`root ${n} ${CANARY}`, { subject: CANARY });
      // Of the second page of the list, so that there is a link before it.
      fake.fail({ on, fault, after: on === 'channel_delta' ? 2 : 1, times: 3 });
      const shown = new Set<string>();
      let cursor: string | null = null;
      let error: unknown = null;
      for (let caughtUp = false, left = 100; !caughtUp && left > 0; left--) {
        try {
          const page = await source.listMessages(general.externalId, '', cursor, live);
          for (const { externalId } of page.messages) shown.add(externalId);
          ({ cursor, isCaughtUp: caughtUp } = page);
        } catch (thrown) {
          error ??= thrown;
          expect(diagnosticOf(thrown)).not.toContain(CANARY);
          if (isRestart(thrown)) cursor = null;
          if (!isRight(error)) break;
          fake.noMoreFaults();
        }
      }
      expect(isRight(error), String(error)).toBe(true);
      expect(shown.size).toBe(170);
    },
  );

  test('that passes is repeated, and costs nothing but time', async () => {
    for (let n = 0; n < 60; n++) general.post(`root ${n}`);
    fake.fail({ on: 'channel_delta', fault: { kind: 'throttle', retryAfter: 2 }, times: 2 });
    fake.fail({ on: 'channel_messages', fault: { kind: 'html', status: 502 }, times: 2 });
    fake.fail({ on: 'channel_messages', fault: { kind: 'reset' }, after: 1 });
    expect((await follow()).messages.size).toBe(60);
  });

  test('of a stored place begins the walk again', async () => {
    general.post('root');
    const { cursor } = await follow();
    general.forgetTokens();
    for (const stored of [cursor, 'nonsense', Buffer.from('{}').toString('base64url')]) {
      await expect(source.listMessages(general.externalId, '', stored, live)).rejects.toBeInstanceOf(
        DeltaCursorInvalid,
      );
    }
    expect((await follow()).messages.size).toBe(1);
  });

  test('of empty pages goes on', async () => {
    fake.tenant().quirks.emptyDeltaPages = 5;
    general.post('root');
    expect((await follow()).messages.size).toBe(1);
  });

  test('of a root that goes while its replies are read ends these alone', async () => {
    fake.tenant().quirks.expandedReplies = 3;
    const [one, other] = [general.post('one'), general.post('other')];
    for (let n = 0; n < 10; n++) for (const root of [one, other]) general.reply(root, `reply ${n}`);
    fake.fail({ on: 'channel_replies', fault: { kind: 'error', status: 404, code: 'NotFound' }, times: 4 });
    const { messages } = await follow();
    expect(messages.has(one) && messages.has(other)).toBe(true);
    fake.fail({ on: 'channel_replies', fault: { kind: 'error', status: 403, code: 'Forbidden' } });
    await expect(follow()).rejects.toBeInstanceOf(ScopeRefused);
  });

  test('of replies whose links repeat is transient', async () => {
    fake.tenant().quirks.expandedReplies = 3;
    const root = general.post('root');
    for (let n = 0; n < 200; n++) general.reply(root, `reply ${n}`);
    fake.fail({ on: 'channel_replies', fault: { kind: 'repeatLink' } });
    await expect(follow()).rejects.toSatisfy(isTransient);
    expect((await follow()).messages.size).toBe(201);
  });
});

test('a sync that is cancelled asks nothing more', async () => {
  general.post('root');
  const stop = new AbortController();
  fake.setLatency(200);
  const reading = source.listMessages(general.externalId, '', null, stop.signal);
  setTimeout(() => stop.abort(), 20);
  await expect(reading).rejects.toMatchObject({ safeDiagnostic: 'aborted' });
  const asked = fake.calls.length;
  await expect(source.listMessages(general.externalId, '', null, stop.signal)).rejects.toMatchObject({
    safeDiagnostic: 'aborted',
  });
  expect(fake.calls.length).toBeLessThanOrEqual(asked + 1);
});

describe('calls for 1,000 messages', () => {
  const walked = async (roots: number, repliesEach: number) => {
    for (let n = 0; n < roots; n++) {
      const root = general.post(`root ${n}`);
      for (let m = 0; m < repliesEach; m++) general.reply(root, `reply ${m}`);
    }
    const state = await follow();
    expect(state.messages.size).toBe(1000);
    const calls = fake.calls.length;
    fake.clearCalls();
    return { state, calls };
  };

  test('are 42 for roots without replies, and two for a hundred changes', async () => {
    const { state, calls } = await walked(1000, 0);
    // 20 pages of the delta, 20 of the plain list, an empty page before and the changes behind.
    expect(calls).toBe(42);
    for (const [at, id] of [...general.channel.roots.keys()].entries())
      if (at % 10 === 0) general.edit(id, 'edited');
    await follow(state);
    expect(fake.calls).toHaveLength(2);
  });

  test('are 6 for a hundred roots with nine replies each', async () => {
    expect((await walked(100, 9)).calls).toBe(6);
  });
});
