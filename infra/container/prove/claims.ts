/** One line per claim. The process ends with an error if one does not hold. */
function report(holds: boolean, claim: string, seen: string): void {
  console.log(`${holds ? 'holds' : 'FAILS'}  ${claim}: ${seen}`);
  if (!holds) process.exitCode = 1;
}

/** Tells whether a figure is within its limit. What follows does not depend on it. */
export function measured(
  claim: string,
  figure: number,
  { limit, unit, beside = '' }: { limit: number; unit: string; beside?: string },
): void {
  report(figure <= limit, `${claim}, at most ${limit} ${unit}`, `${figure.toFixed(1)} ${unit}${beside}`);
}

/** Tells what a check has seen. What follows depends on it, so its error ends the proof. */
export async function proved<T>(
  claim: string,
  check: () => Promise<T>,
  seen: (result: T) => string = () => 'done',
): Promise<T> {
  try {
    const result = await check();
    report(true, claim, seen(result));
    return result;
  } catch (error) {
    report(false, claim, error instanceof Error ? error.message : String(error));
    throw new ClaimFailed();
  }
}

/** The claim has been reported. */
class ClaimFailed extends Error {}

/** Ends the process with 1 if a claim failed; other errors are faults of the proof and show their stack. */
export function endAfter(error: unknown): void {
  if (!(error instanceof ClaimFailed)) console.error(error);
  process.exitCode = 1;
}
