/** General formatting switches, which are not part of the formula. */
const FORMAT = /\\\*\s*(?:"[^"]*"|\w+)/g;
/** A switch with an optional number: `\s\up8(2)`, `\co2`. */
const SWITCH = /\\([a-z]{1,3})\s*(-?\d{1,5})?\s*/iy;
/** Switches that take a bracket character after a backslash. */
const BRACKETS: ReadonlySet<string> = new Set(['lc', 'rc', 'bc', 'fc', 'vc']);
const BRACKET = /\\(.)/y;
/** The separator between the arguments of a switch: a bar in a fraction, nothing in an overstrike. */
const BETWEEN: ReadonlyMap<string, string> = new Map([
  ['f', '/'],
  ['o', ''],
]);

/**
 * The displayed text of an EQ field (ECMA-376 part 1, 17.16.5.20) on one line: the arguments of its switches in
 * order.
 * @param source the instruction after the name of the field
 */
export function eqText(source: string): string {
  const formula = source.replace(FORMAT, '');
  /** The separators of the open parentheses. Null for a parenthesis of the formula itself. */
  const around: (string | null)[] = [];
  let between: string | null = null;
  let shown = '';
  for (let at = 0; at < formula.length; ) {
    const character = formula.charAt(at);
    const found = character === '\\' ? matchAt(SWITCH, formula, at) : null;
    if (found !== null) {
      const name = (found[1] ?? '').toLowerCase();
      const isAdjusting: boolean = between !== null && name.length > 1;
      if (!isAdjusting) between = BETWEEN.get(name) ?? ' ';
      at += found[0].length;
      if (BRACKETS.has(name)) at += matchAt(BRACKET, formula, at)?.[0].length ?? 0;
    } else if (character === '\\') {
      shown += formula.charAt(at + 1);
      at += 2;
    } else {
      if (character === '(') {
        around.push(between);
        if (between === null) shown += character;
      } else if (character === ')') {
        if ((around.pop() ?? null) === null) shown += character;
      } else if ((character === ',' || character === ';') && (around.at(-1) ?? null) !== null) {
        shown += around.at(-1) ?? '';
      } else shown += character;
      between = null;
      at++;
    }
  }
  return shown.replace(/\s+/g, ' ').trim();
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
