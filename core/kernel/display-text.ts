const MAX_LENGTH = 200;

/** A text of another system as people are shown it: one line without control characters, at most 200 characters. */
export const displayText = (text: string): string =>
  text
    .replaceAll(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH);
