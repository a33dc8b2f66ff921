import { expect, it, vi } from 'vitest';
import { untilAborted } from '../../../core/connectors/abort.ts';

it('does not start once the signal has fired', async () => {
  const run = vi.fn(async () => 1);
  await expect(untilAborted(AbortSignal.abort(), run)).rejects.toThrow('aborted');
  expect(run).not.toHaveBeenCalled();
});

it('does not wait for what never ends', async () => {
  const stop = new AbortController();
  const waiting = untilAborted(stop.signal, () => new Promise(() => {}));
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ retryClass: 'transient', safeDiagnostic: 'aborted' });
});

it('hands on the result, or the error, and lets go of the signal', async () => {
  const { signal } = new AbortController();
  const [on, off] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
  expect(await untilAborted(signal, async () => 'result')).toBe('result');
  await expect(untilAborted(signal, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(off.mock.calls.map((call) => call[1])).toEqual(on.mock.calls.map((call) => call[1]));
});
