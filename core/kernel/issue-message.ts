/** The parts of an issue of Zod's that its message follows from. */
type Issue = { code: string; message: string; path: readonly PropertyKey[] };

/** What is wrong, in words: a field that is not there is called required rather than of a wrong type. */
export const issueMessage = (issue: Issue, value: unknown): string =>
  issue.code !== 'custom' && at(value, issue.path) === undefined ? 'Required.' : issue.message;

const at = (value: unknown, path: readonly PropertyKey[]): unknown => path.reduce(memberOf, value);

/** A member of an object or array. Undefined if the value is neither. */
export const memberOf = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
