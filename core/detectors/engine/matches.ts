import type { Work } from './work.ts';

/** Characters around a window that the guards of a pattern need, to see whether a token goes on. */
const MARGIN = 2;

/** The matches of a pattern in the windows, as start and end. */
export function* matchesIn(
  text: string,
  regex: RegExp,
  windows: readonly number[],
  work: Work,
): Generator<[start: number, end: number]> {
  for (let i = 0; i + 1 < windows.length; i += 2) {
    const from = Math.max(0, (windows[i] ?? 0) - MARGIN);
    const to = Math.min(text.length, (windows[i + 1] ?? 0) + MARGIN);
    const window = text.slice(from, to);
    work.runs += 1;
    work.windowCharacters += window.length;
    regex.lastIndex = 0;
    for (let match = regex.exec(window); match !== null; match = regex.exec(window)) {
      const start = from + match.index;
      const end = start + match[0].length;
      // A match that touches a cut edge may be incomplete. The reach of the gate keeps real matches away from the
      // edges.
      if ((start > from || from === 0) && (end < to || to === text.length)) yield [start, end];
      if (match[0] === '') regex.lastIndex += 1;
    }
  }
}
