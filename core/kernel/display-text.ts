const MAX_LENGTH = 200;

/** A text of another system as people are shown it: one line without control characters, at most 200 characters. */
export const displayText = (text: string): string =>
  text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH)
    // Half of a character may be left where the text was cut.
    .replace(/[\s\ud800-\udbff]+$/, '');
