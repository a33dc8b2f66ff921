/** Word endings as a trie, from the last letter to the first. */
export type Endings = { isWhole: boolean; readonly before: Map<number, Endings> };

/** Builds a trie from endings that white space separates. */
export function endings(list: string): Endings {
  const root: Endings = { isWhole: false, before: new Map() };
  for (const ending of list.trim().split(/\s+/)) {
    let node = root;
    for (let at = ending.length - 1; at >= 0; at--) {
      const letter = ending.charCodeAt(at);
      const next = node.before.get(letter) ?? { isWhole: false, before: new Map() };
      node.before.set(letter, next);
      node = next;
    }
    node.isWhole = true;
  }
  return root;
}

/** Whether a word has one of the endings after a stem of at least `leastStem` letters. */
export function endsWithOne(word: string, known: Endings, leastStem = 2): boolean {
  let node: Endings | undefined = known;
  for (let at = word.length - 1; at >= leastStem; at--) {
    node = node.before.get(word.charCodeAt(at));
    if (node === undefined || node.isWhole) return node !== undefined;
  }
  return false;
}
