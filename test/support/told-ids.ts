import type { ApiClient } from '../../infra/local/api-client.ts';

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
 * A person who knows only the ids that the API has told them. A request with another id fails without being sent.
 * What does not work this way does not work for people who only have the API.
 */
export function knowingOnlyWhatWasTold(client: ApiClient): ApiClient {
  const told = new Set<string>();
  const refuseUntold = (target: string, body?: unknown) => {
    const untold = idsNamed(target, body).filter((id) => !told.has(id));
    if (untold.length > 0)
      throw new Error(`${target} contains ids that the API has not returned: ${untold.join(', ')}`);
  };
  const remember = (body: unknown) => {
    for (const id of idsIn(body)) told.add(id);
  };
  return {
    get: async <T>(target: string) => {
      refuseUntold(target);
      const body = await client.get<T>(target);
      remember(body);
      return body;
    },
    post: async <T>(target: string, sent: unknown) => {
      refuseUntold(target, sent);
      const answer = await client.post<T>(target, sent);
      remember(answer.body);
      return answer;
    },
  };
}
