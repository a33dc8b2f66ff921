/** Names a file of `migrations/functions/`. In a migration, its text follows this line up to its end line. */
const INCLUDE = /^--! include (functions\/[a-z_]+\.sql)$/;
/** Everything that looks like an include. A mistyped one must not be taken for a comment. */
const ANY_INCLUDE = /^\s*--!\s*include\b\s*(.*?)\s*$/i;
const endOf = (name: string) => `--! end ${name}`;

/**
 * Replaces the text of each include in a migration with the present text of its file. A second call changes nothing.
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

/** The includes of a migration whose text is missing. */
export const notExpanded = (text: string): string[] => {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const written = ANY_INCLUDE.exec(line)?.[1];
    if (written === undefined) return [];
    const name = INCLUDE.exec(line)?.[1];
    return name !== undefined && lines.indexOf(endOf(name), at) !== -1 ? [] : [written];
  });
};

/** The text that a migration has of each included file. */
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
