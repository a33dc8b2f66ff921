import { channel } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { streamed } from '../../../core/http/stream.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A response whose client takes what it is given only when `drain` is emitted. */
class SlowResponse extends EventEmitter {
  writableNeedDrain = true;
  destroyed = false;
  destroy() {
    this.destroyed = true;
    this.emit('close');
  }
}

async function started(invocationId: string) {
  const response = new SlowResponse();
  const request = { headers: { 'x-ms-invocation-id': invocationId }, socket: { remoteAddress: '127.0.0.1' } };
  channel('http.server.request.start').publish({ request, response });
  let made = 0;
  let ended = false;
  const parts = (async function* () {
    try {
      for (;;) {
        made++;
        yield `part ${made}`;
      }
    } finally {
      ended = true;
    }
  })();
  const failures: unknown[] = [];
  const body = await streamed(invocationId, parts, (error) => failures.push(error));
  return { response, body: body[Symbol.asyncIterator](), failures, made: () => made, ended: () => ended };
}

test('a client that takes nothing for a minute is given up, and what it asked for ends', async () => {
  const { response, body, failures, made, ended } = await started('stalled');
  expect((await body.next()).done).toBe(false);
  const next = body.next();
  await vi.advanceTimersByTimeAsync(59_000);
  expect([response.destroyed, made(), ended()]).toEqual([false, 1, false]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await next).done).toBe(true);
  expect([response.destroyed, made(), ended(), failures]).toEqual([true, 1, true, []]);
});

test('a slow client that goes on taking is served for as long as it takes', async () => {
  const { response, body, made } = await started('slow');
  await body.next();
  for (let minute = 2; minute < 6; minute++) {
    const next = body.next();
    await vi.advanceTimersByTimeAsync(50_000);
    response.emit('drain');
    expect((await next).done).toBe(false);
    expect(made()).toBe(minute);
  }
  expect(response.destroyed).toBe(false);
});
