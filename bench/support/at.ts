/** The nth element of a list, starting over after the last one. Throws a `RangeError` if the list is empty. */
export const at = <T>(list: readonly T[], nth: number): T => {
  const found = list[nth % list.length];
  if (found === undefined) throw new RangeError('The list is empty');
  return found;
};
