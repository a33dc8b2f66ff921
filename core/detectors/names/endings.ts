/** How words may end, with how long the endings are, so that one look-up for each length tells. */
export type Endings = { readonly all: ReadonlySet<string>; readonly lengths: readonly number[] };

/** The endings that white space separates. */
export function endings(list: string): Endings {
  const all = new Set(list.trim().split(/\s+/));
  return { all, lengths: [...new Set([...all].map(({ length }) => length))].sort((a, b) => a - b) };
}

/** Ends so, after a stem of two letters or more. */
export const endsWithOne = (word: string, { all, lengths }: Endings): boolean =>
  lengths.some((length) => word.length >= length + 2 && all.has(word.slice(-length)));
