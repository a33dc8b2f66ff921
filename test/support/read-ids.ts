const LOOKS_LIKE_AN_ID = /^[a-z]{3}_[A-Za-z0-9_]+$/;
const IS_CALLED_AN_ID = /(?:^id|Ids?)$/;
/** A field whose values look like ids. */
const VOCABULARY = 'decision';

/** All ids in a body: values that look like ids, and values of fields that are named like ids. */
function idsIn(value: unknown, field = ''): string[] {
  if (typeof value === 'string') {
    const isId = IS_CALLED_AN_ID.test(field) || (field !== VOCABULARY && LOOKS_LIKE_AN_ID.test(value));
    return isId ? [value] : [];
  }
  if (Array.isArray(value)) return value.flatMap((each) => idsIn(each, field));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => idsIn(each, name));
}

/** All ids in the path, query and body of a request. */
function idsNamed(target: string, body: unknown): string[] {
  const { pathname, searchParams } = new URL(target, 'http://service');
  return [
    ...idsIn(pathname.split('/').map(decodeURIComponent)),
    ...idsIn(Object.fromEntries(searchParams)),
    ...idsIn(body),
  ];
}

/**
 * `fetch` of a person who knows only the ids that the API has returned to them. A request with another id fails without
 * being sent. What does not work this way does not work for people who only have the API.
 */
export function knowingOnlyWhatWasRead(send: typeof fetch): typeof fetch {
  const known = new Set<string>();
  return async (input, init) => {
    const target = String(input);
    const sent: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
    const unknown = idsNamed(target, sent).filter((id) => !known.has(id));
    if (unknown.length > 0)
      throw new Error(`${target} contains ids that the API has not returned: ${unknown.join(', ')}`);
    const response = await send(input, init);
    for (const id of idsIn(await response.clone().json())) known.add(id);
    return response;
  };
}
