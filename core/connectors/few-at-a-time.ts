const AT_ONCE = 4;

/** Asks for each, a few at a time, so that one question is no burst. Answers are in the order of `all`. */
export async function fewAtATime<T, R>(all: readonly T[], ask: (one: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE)
    answers.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(ask))));
  return answers;
}
