const BINS = 10;

/**
 * How far the stated confidence is from the share of right answers: the mean over bins of equal width, each weighted
 * by its answers; 0 to 1.
 */
export function calibrationError(answers: readonly { confidence: number; right: boolean }[]): number {
  const bins = Map.groupBy(answers, ({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)));
  return [...bins.values()].reduce((sum, bin) => {
    const stated = bin.reduce((total, { confidence }) => total + confidence, 0);
    const right = bin.filter((answer) => answer.right).length;
    return sum + Math.abs(stated - right) / answers.length;
  }, 0);
}
