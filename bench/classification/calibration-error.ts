const BINS = 10;

/**
 * The mean difference between the stated confidence and the share of right answers, over bins of equal width,
 * weighted by their answers.
 * @returns 0 to 1
 */
export function calibrationError(answers: readonly { confidence: number; right: boolean }[]): number {
  const bins = Map.groupBy(answers, ({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)));
  return [...bins.values()].reduce((sum, bin) => {
    const stated = bin.reduce((total, { confidence }) => total + confidence, 0);
    const right = bin.filter((answer) => answer.right).length;
    return sum + Math.abs(stated - right) / answers.length;
  }, 0);
}
