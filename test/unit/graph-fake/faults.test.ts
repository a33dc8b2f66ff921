import { afterEach, describe, expect, test } from 'vitest';
import { asker } from '../../support/graph/ask.ts';
import type { GraphFake } from '../../support/graph/graph-fake.ts';
import { APP, smallFake } from '../../support/graph/small-tenant.ts';

let fake: GraphFake;
afterEach(() => fake.close());

async function opened(clock?: () => number) {
  fake = await smallFake({}, clock === undefined ? {} : { clock });
  const ask = asker(fake, APP.clientId);
  const library = fake.library('Finance');
  const drive = `/drives/${library.id}`;
  return { ask, library, drive };
}

describe('faults of the fake of Graph', () => {
  test('an entry of the script strikes as often and as late as it says', async () => {
    const { ask, drive } = await opened();
    fake.fail({
      on: 'drive',
      after: 1,
      times: 2,
      fault: { kind: 'error', status: 500, code: 'generalException' },
    });
    const statuses = [];
    for (let call = 0; call < 5; call++) statuses.push((await ask.get(drive)).status);
    expect(statuses).toEqual([200, 500, 500, 200, 200]);
  });

  test.each([
    [120, '120'],
    [{ dateIn: 30 }, new Date(1_800_000_030_000).toUTCString()],
    [null, null],
  ])('a throttled call says when to come back: %o', async (retryAfter, header) => {
    const { ask, drive } = await opened(() => 1_800_000_000_000);
    fake.fail({ on: 'drive', fault: { kind: 'throttle', retryAfter } });
    const { status, headers } = await ask.get(drive);
    expect([status, headers.get('retry-after')]).toEqual([429, header]);
  });

  test('a fixed rate lets so many calls through, and refuses the rest', async () => {
    let now = 1_800_000_000_000;
    const { ask, drive } = await opened(() => now);
    fake.throttle({ perSecond: 4 });
    const statuses = async () => {
      const all = [];
      for (let call = 0; call < 6; call++) all.push((await ask.get(drive)).status);
      return all;
    };
    expect(await statuses()).toEqual([200, 200, 200, 200, 429, 429]);
    now += 500;
    expect(await statuses()).toEqual([200, 200, 429, 429, 429, 429]);
  });

  test('a cut body, a broken one and a lost answer are failures of the call', async () => {
    const { drive } = await opened();
    const headers = { authorization: `Bearer ${fake.token(APP.clientId)}` };
    const read = async () => (await fetch(`${fake.graphOrigin}/v1.0${drive}`, { headers })).json();
    for (const kind of ['cut', 'brokenJson', 'reset'] as const) {
      fake.fail({ on: 'drive', fault: { kind } });
      await expect(read()).rejects.toThrow();
    }
    fake.fail({ on: 'drive', fault: { kind: 'html', status: 502 } });
    await expect(read()).rejects.toThrow(SyntaxError);
    expect(await read()).toMatchObject({ name: 'Documents' });
  });

  test('late and slow answers arrive whole', async () => {
    const { ask, drive } = await opened();
    fake.fail({ on: 'drive', fault: { kind: 'delay', ms: 30 } });
    fake.fail({ on: 'drive', fault: { kind: 'slow', chunkBytes: 200, everyMs: 1 } });
    expect((await ask.get(drive)).body).toMatchObject({ name: 'Documents' });
  });

  test('links lead elsewhere where the script says so', async () => {
    const { ask, drive, library } = await opened();
    const id = library.add('Plan.txt', 'Plan');
    fake.fail({
      on: ['delta', 'content'],
      times: 2,
      fault: { kind: 'foreignLink', origin: 'https://evil.example' },
    });
    const { body } = await ask.get(`${drive}/root/delta`);
    expect(new URL(body['@odata.deltaLink']).origin).toBe('https://evil.example');
    const { location } = await ask.get(`${drive}/items/${id}/content`);
    expect(new URL(location).origin).toBe('https://evil.example');
  });

  test('the log tells each call by its family, with what it carried, also inside batches', async () => {
    const { ask, drive } = await opened();
    await ask.get(drive);
    await ask.post('/$batch', { requests: [{ id: '1', method: 'GET', url: drive }] });
    expect(fake.calls.map(({ family, status, batched }) => [family, status, batched])).toEqual([
      ['drive', 200, false],
      ['drive', 200, true],
      ['batch', 200, false],
    ]);
    expect(fake.callsOf('drive').every(({ bytes }) => bytes > 500)).toBe(true);
  });

  test('a wrong body and a bearer sent elsewhere are held against the client', async () => {
    const { ask, drive, library } = await opened();
    const id = library.add('Plan.docx', 'Plan');
    const invented = { sensitivityLabelId: '', reason: 'none' };
    expect((await ask.post(`${drive}/items/${id}/assignSensitivityLabel`, invented)).status).toBe(400);
    const { location } = await ask.get(`${drive}/items/${id}/content`);
    expect((await ask.get(location)).status).toBe(401);
    expect(fake.violations).toEqual([
      expect.stringContaining('request label_assign'),
      'request download: it carries a bearer',
    ]);
  });

  test('a URL of content passes after some minutes', async () => {
    let now = 1_800_000_000_000;
    const { ask, drive, library } = await opened(() => now);
    const id = library.add('Plan.txt', 'Plan');
    const { location } = await ask.get(`${drive}/items/${id}/content`);
    expect(await (await fetch(location)).text()).toBe('Plan');
    now += 6 * 60_000;
    expect((await fetch(location)).status).toBe(401);
  });
});
