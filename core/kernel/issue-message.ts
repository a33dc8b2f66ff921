/** The parts of an issue of Zod's that its message follows from. */
type Issue = { code: string; message: string; path: readonly PropertyKey[] };

/** What is wrong, in words: a field that is not there is called required rather than of a wrong type. */
export const issueMessage = (issue: Issue, value: unknown): string =>
  issue.code !== 'custom' && at(value, issue.path) === undefined ? 'Required.' : issue.message;

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (found, key) => (typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined),
    value,
  );
