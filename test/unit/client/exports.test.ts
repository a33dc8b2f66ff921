import { expect, test } from 'vitest';
import { partsOf, rowsOf } from '../../../client/exports.ts';

/** An answer whose bytes come in these pieces. */
const streamed = (...pieces: (string | Uint8Array)[]) => {
  const encoder = new TextEncoder();
  const body = ReadableStream.from(
    pieces.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece)),
  );
  return new Response(body);
};
const all = async <T>(items: AsyncIterable<T>) => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};

test('rows come one by one, however the bytes are cut', async () => {
  const answer = streamed('{"n":1}\n{"n"', ':2}\n', '{"end":true,"count":2}\n');
  expect(await all(rowsOf(answer))).toEqual([{ n: 1 }, { n: 2 }]);
});

test('a letter that is cut in two comes whole', async () => {
  const bytes = new TextEncoder().encode('é,b\n');
  expect((await all(partsOf(streamed(bytes.slice(0, 1), bytes.slice(1))))).join('')).toBe('é,b\n');
});

test.each([
  ['no last line', ['{"n":1}\n']],
  ['fewer rows than were sent', ['{"n":1}\n', '{"end":true,"count":2}\n']],
  ['nothing at all', ['']],
])('an export with %s is not whole', async (_, pieces) => {
  await expect(all(rowsOf(streamed(...pieces)))).rejects.toThrow('The export has ended early.');
});

test('whoever leaves early ends the stream', async () => {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('{"n":1}\n')),
    cancel: () => {
      cancelled = true;
    },
  });
  for await (const row of rowsOf(new Response(body))) {
    expect(row).toEqual({ n: 1 });
    break;
  }
  expect(cancelled).toBe(true);
});

test('what is no stream is refused', async () => {
  await expect(all(partsOf({ items: [] }))).rejects.toThrow('The answer is no stream.');
});
