/** A member of the address that is a text, or nothing. Whatever else stands there is left out. */
export function text<Name extends string>(
  name: Name,
  search: Record<string, unknown>,
): { [key in Name]?: string } {
  const value = search[name];
  const written = typeof value === 'number' ? String(value) : value;
  return (typeof written === 'string' && written !== '' ? { [name]: written } : {}) as {
    [key in Name]?: string;
  };
}

/** The value of a list that the address names, or nothing. */
export const member = <T extends string>(values: Readonly<Record<string, T>>, text: string | undefined) =>
  Object.values(values).find((each) => each === text);
