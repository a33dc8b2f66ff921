/** Names a file of `migrations/functions/`, whose text stands between this line and its end in a migration. */
const INCLUDE = /^--! include (functions\/[a-z_]+\.sql)$/;
/** Whatever looks like an inclusion: a mistyped one must not pass for a comment. */
const ANY_INCLUDE = /^\s*--!\s*include\b\s*(.*?)\s*$/i;
const endOf = (name: string) => `--! end ${name}`;

/**
 * Puts the text of each included file where a migration includes it, in place of the text that stands there. The same
 * twice changes nothing.
 * @param read the text of a file below `migrations/`
 */
export async function expandIncludes(text: string, read: (name: string) => Promise<string>): Promise<string> {
  const expanded: string[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    expanded.push(line);
    const name = INCLUDE.exec(line)?.[1];
    if (name === undefined) continue;
    const end = lines.indexOf(endOf(name), at);
    if (end !== -1) at = end;
    expanded.push((await read(name)).trimEnd(), endOf(name));
  }
  return expanded.join('\n');
}

/** What a migration includes and does not hold the text of. */
export const notExpanded = (text: string): string[] => {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const written = ANY_INCLUDE.exec(line)?.[1];
    if (written === undefined) return [];
    const name = INCLUDE.exec(line)?.[1];
    return name !== undefined && lines.indexOf(endOf(name), at) !== -1 ? [] : [written];
  });
};

/** The text that a migration holds of each file that it includes. */
export function includedTexts(text: string): Map<string, string> {
  const lines = text.split('\n');
  return new Map(
    lines.flatMap((line, at) => {
      const name = INCLUDE.exec(line)?.[1];
      const end = name === undefined ? -1 : lines.indexOf(endOf(name), at);
      return name === undefined || end === -1 ? [] : [[name, lines.slice(at + 1, end).join('\n')] as const];
    }),
  );
}
