type Damage = (value: unknown) => unknown;

/** Faults in kind of one field. `undefined` leaves it out. */
export const DAMAGES: Readonly<Record<string, Damage>> = {
  missing: () => undefined,
  null: () => null,
  'another type': (value) => (typeof value === 'string' ? { a: 1 } : 'text'),
  'an unknown word': (value) => (typeof value === 'string' ? 'unknown_word' : value),
};

/** A copy of an answer in which each field of this name is damaged, at any depth. */
export function damaged(body: unknown, name: string, damage: Damage): unknown {
  if (Array.isArray(body)) return body.map((each) => damaged(each, name, damage));
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [
      key,
      key === name ? damage(value) : damaged(value, name, damage),
    ]),
  );
}
