/** The cost of a search. Tests compare it with the length of the text. */
export type Work = {
  /** Characters read to find where patterns may match. */
  steps: number;
  /** Runs of a pattern at a position or over a window. */
  runs: number;
  /** Characters of the windows that patterns ran over. */
  windowCharacters: number;
  /** How often the context of a match was read. */
  contextReads: number;
};

export const noWork = (): Work => ({ steps: 0, runs: 0, windowCharacters: 0, contextReads: 0 });
