/** So few that one question is no burst at a source, and so many that what takes long keeps few others waiting. */
const AT_ONCE = 4;

/**
 * Runs `run` for each of `all`, in order, a few at a time: when one ends, the next begins. Returns the answers in the same
 * order. Asks `goesOn` before each; after it said no, no further one begins, and the answers of those that began are
 * returned. Never cuts one short: whoever wants that passes a signal to `run`. After an error no further one begins; the
 * first error is thrown when those that began have ended.
 */
export async function fewAtATime<T, R>(
  all: Iterable<T>,
  run: (one: T) => Promise<R>,
  { atOnce = AT_ONCE, goesOn = () => true }: { atOnce?: number; goesOn?: () => boolean } = {},
): Promise<R[]> {
  const waiting = all[Symbol.iterator]();
  const answers: R[] = [];
  const errors: unknown[] = [];
  let begun = 0;
  const lane = async () => {
    while (errors.length === 0 && goesOn()) {
      const next = waiting.next();
      if (next.done) return;
      const place = begun++;
      try {
        answers[place] = await run(next.value);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  if (errors.length > 0) throw errors[0];
  return answers;
}
