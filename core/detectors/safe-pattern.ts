/** Repetitions that nested quantifiers may reach together. */
const MOST_REPETITIONS = 1_024;

/**
 * True when no quantifier of the pattern is open-ended and nested quantifiers multiply to a bounded number.
 * Reads the source as the regular-expression grammar does, skipping escapes and character classes.
 */
export function isSafePattern(regex: RegExp): boolean {
  const { source } = regex;
  // The largest repetition inside each open group; the last element is the innermost.
  const groups: number[] = [1];
  let atom = 1;
  for (let i = 0; i < source.length; i++) {
    const character = source[i];
    if (character === '\\') {
      i += 1;
      atom = 1;
    } else if (character === '[') {
      i = endOfClass(source, i);
      atom = 1;
    } else if (character === '(') {
      groups.push(1);
      if (source[i + 1] === '?') i += 1;
    } else if (character === ')') {
      atom = groups.pop() ?? 1;
      raise(groups, atom);
    } else if (character === '*' || character === '+') {
      return false;
    } else if (character === '{') {
      const quantifier = /^\{(\d{1,6})(?:,(\d{0,6}))?\}/.exec(source.slice(i, i + 16));
      if (quantifier === null) continue;
      const most = quantifier[2] ?? quantifier[1] ?? '';
      if (most === '' || atom * Number(most) > MOST_REPETITIONS) return false;
      raise(groups, atom * Number(most));
      i += quantifier[0].length - 1;
    } else {
      atom = 1;
    }
  }
  return true;
}

function raise(groups: number[], repetitions: number): void {
  const last = groups.length - 1;
  groups[last] = Math.max(groups[last] ?? 1, repetitions);
}

function endOfClass(source: string, start: number): number {
  let i = start + 1;
  while (i < source.length && source[i] !== ']') i += source[i] === '\\' ? 2 : 1;
  return i;
}
