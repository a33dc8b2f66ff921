/** Whether arrays and objects are nested at most so many levels deep. A text or a number has no level. */
export const isAtMostDeep = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((member) => isAtMostDeep(member, levels - 1)));
