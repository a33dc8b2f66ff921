/** The median. For an even number of samples, the mean of the middle two. */
export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  if (low === undefined || high === undefined) throw new RangeError('An empty list has no median');
  return (low + high) / 2;
}

/**
 * Runs ours and the peer alternately, so that other load on the machine affects both. The order changes with each
 * round. The first round does not count.
 */
export async function interleaved<T>(
  rounds: number,
  ours: () => Promise<T>,
  bare: () => Promise<T>,
): Promise<{ ours: T[]; bare: T[] }> {
  const samples: { ours: T[]; bare: T[] } = { ours: [], bare: [] };
  await ours();
  await bare();
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) samples.ours.push(await ours());
    samples.bare.push(await bare());
    if (round % 2 === 1) samples.ours.push(await ours());
  }
  return samples;
}

/** The rate per second of `act` by `callers` that each call sequentially, for about `seconds`. */
export async function ratePerSecond(
  seconds: number,
  callers: number,
  act: (caller: number) => Promise<void>,
): Promise<number> {
  const started = performance.now();
  const deadline = started + seconds * 1000;
  let done = 0;
  const call = async (caller: number) => {
    while (performance.now() < deadline) {
      await act(caller);
      done++;
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  return (done * 1000) / (performance.now() - started);
}
