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
