/**
 * A pattern of a rule. Each step is compared with one name of a path; `**` stands for any number of folders. Without case.
 * `insideOnly`: it names folders, and so only what is in them.
 */
export type PathPattern = { readonly steps: readonly string[]; readonly insideOnly: boolean };

export const MAX_PATTERN = 200;
const MAX_STEPS = 20;
/** Characters with a meaning in other pattern languages. They are refused, so that no rule has another meaning than its author expects. */
const FOREIGN = /[[\]{}\\]|^!/;
/** A name that nobody has: a pattern that matches it matches every name. */
const NOBODYS_NAME = '\u{E000}'.repeat(16);

const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/**
 * Reads a pattern of folders and files below the top of a scope. Without `/`, or with one at the end only, it is looked for
 * in every folder. A pattern that names a folder stands for all that is in it, and so does `/` or `/**` at the end.
 * @returns what is wrong with it, in a sentence, if it is no pattern
 */
export function parsePattern(text: string): PathPattern | { problem: string } {
  if (text.length > MAX_PATTERN) return { problem: `Must have at most ${MAX_PATTERN} characters.` };
  if (FOREIGN.test(text))
    return { problem: 'Has only *, ? and ** with a meaning; write ? for other special characters.' };
  const written = folded(text).split('/');
  const isFromTop = written[0] === '';
  const named = written.slice(isFromTop ? 1 : 0);
  const insideOnly = named.length > 1 && (named.at(-1) === '' || named.at(-1) === '**');
  const steps = insideOnly ? named.slice(0, -1) : named;
  if (steps.length > MAX_STEPS) return { problem: `Must have at most ${MAX_STEPS} names.` };
  if (steps.some((step) => step === '' || step === '.' || step === '..'))
    return { problem: 'Must name folders and files, separated by one /.' };
  if (steps.some((step) => step !== '**' && step.includes('**')))
    return { problem: '** must stand alone between two /.' };
  const isAnywhere = !isFromTop && steps.length === 1 && named.at(-1) !== '**';
  const pattern = { steps: isAnywhere ? ['**', ...steps] : steps, insideOnly };
  return matchesPath(pattern, NOBODYS_NAME) || matchesPath(pattern, `${NOBODYS_NAME}/${NOBODYS_NAME}`)
    ? { problem: 'Matches every file. To leave out a whole scope, do not select it.' }
    : pattern;
}

/**
 * Whether the pattern matches the path of a file, or a folder above it. It takes time with the length of both, whatever
 * they are.
 * @param path below the top of the scope, with `/`
 */
export function matchesPath({ steps, insideOnly }: PathPattern, path: string): boolean {
  const names = folded(path).split('/');
  // The steps that may be next, after the names so far.
  let next = afterAnyFolders(steps, [0]);
  for (const [nth, name] of names.entries()) {
    const passed = [...next].flatMap((at) => {
      if (steps[at] === '**') return [at];
      return at < steps.length && matchesName(steps[at] ?? '', name) ? [at + 1] : [];
    });
    next = afterAnyFolders(steps, passed);
    if (next.has(steps.length) && !(insideOnly && nth === names.length - 1)) return true;
    if (next.size === 0) return false;
  }
  return false;
}

/** Whether a path is below a folder, given by its path from the top of the scope. Without case; no character has a meaning. */
export const isInside = (folder: string, path: string): boolean =>
  folded(path).startsWith(`${folded(folder).split('/').filter(Boolean).join('/')}/`);

/** The same steps, and those after each `**`, which also stands for no folder. */
function afterAnyFolders(steps: readonly string[], from: readonly number[]): Set<number> {
  const all = new Set<number>();
  for (const start of from) {
    let at = start;
    all.add(at);
    while (steps[at] === '**') all.add(++at);
  }
  return all;
}

/** Whether a step with `*` and `?` matches a name. After a mismatch only the last `*` is tried with one character more. */
function matchesName(step: string, name: string): boolean {
  const wanted = Array.from(step);
  const given = Array.from(name);
  let at = 0;
  let read = 0;
  let star = -1;
  let starRead = 0;
  while (read < given.length) {
    if (wanted[at] === '*') {
      star = at++;
      starRead = read;
    } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === given[read])) {
      at++;
      read++;
    } else if (star !== -1) {
      at = star + 1;
      read = ++starRead;
    } else return false;
  }
  while (wanted[at] === '*') at++;
  return at === wanted.length;
}
