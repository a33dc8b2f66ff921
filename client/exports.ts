/** The pieces of a text that the service streams, such as an export as CSV. */
export async function* partsOf(answer: unknown): AsyncGenerator<string> {
  if (!(answer instanceof Response)) throw new TypeError('The answer is no stream.');
  if (answer.body === null) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    // Whoever leaves the loop early wants no more of it.
    await reader.cancel().catch(() => undefined);
  }
}

/** The rows of an export as NDJSON. Throws at the end if the export is not whole. */
export async function* rowsOf<Row>(answer: unknown): AsyncGenerator<Row> {
  let count = 0;
  let isWhole = false;
  for await (const line of linesOf(answer)) {
    const value = JSON.parse(line) as Row | { end: true; count: number };
    if (isEnd(value)) isWhole = value.count === count;
    else {
      count++;
      yield value;
    }
  }
  if (!isWhole) throw new Error('The export has ended early.');
}

const isEnd = (value: unknown): value is { end: true; count: number } =>
  typeof value === 'object' && value !== null && 'end' in value && value.end === true;

async function* linesOf(answer: unknown): AsyncGenerator<string> {
  let rest = '';
  for await (const part of partsOf(answer)) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
