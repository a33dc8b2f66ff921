import type { ApiClient } from '../../infra/local/api-client.ts';

const LOOKS_LIKE_AN_ID = /^[a-z]{3}_[A-Za-z0-9_]+$/;
const IS_CALLED_AN_ID = /(?:^id|Ids?)$/;
/** Its words look like ids. */
const VOCABULARY = 'decision';

/** Every id in a body: what looks like one, and what stands in a field that is called one. */
function idsIn(value: unknown, field = ''): string[] {
  if (typeof value === 'string') {
    const isId = IS_CALLED_AN_ID.test(field) || (field !== VOCABULARY && LOOKS_LIKE_AN_ID.test(value));
    return isId ? [value] : [];
  }
  if (Array.isArray(value)) return value.flatMap((each) => idsIn(each, field));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => idsIn(each, name));
}

/** Every id that a request names in its path, its query and its body. */
function idsNamed(target: string, body: unknown): string[] {
  const { pathname, searchParams } = new URL(target, 'http://service');
  return [
    ...idsIn(pathname.split('/').map(decodeURIComponent)),
    ...idsIn(Object.fromEntries(searchParams)),
    ...idsIn(body),
  ];
}

/**
 * A person at the API who knows no id but those that the API has told them: a request that names another one is not sent,
 * and fails. What cannot be done this way, nobody can do who has only the API.
 */
export function knowingOnlyWhatWasTold(client: ApiClient): ApiClient {
  const told = new Set<string>();
  const refuseUntold = (target: string, body?: unknown) => {
    const untold = idsNamed(target, body).filter((id) => !told.has(id));
    if (untold.length > 0) throw new Error(`${target} names what nobody has told: ${untold.join(', ')}`);
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
