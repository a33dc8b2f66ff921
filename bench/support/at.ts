/** The nth of a list that begins again after its last. Throws a `RangeError` where it is empty. */
export const at = <T>(list: readonly T[], nth: number): T => {
  const found = list[nth % list.length];
  if (found === undefined) throw new RangeError('Nothing to choose from');
  return found;
};
