import { BoxUser, BoxUsers } from './box-answers.ts';
import { type BoxClient, markedPages } from './box-client.ts';

const PAGE_SIZE = 1_000;
/** Half a million people. */
const MAX_PAGES = 500;

/** The sign-in names of all people of the enterprise in lower case. Null if Box does not list them. */
export async function readColleagues(
  client: BoxClient,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | null> {
  const entries = await markedPages(async (marker) => {
    const query = {
      user_type: 'managed',
      fields: 'id,login',
      usemarker: 'true',
      limit: PAGE_SIZE,
      ...(marker !== null && { marker }),
    };
    const options = { query, schema: BoxUsers, expect: [403, 404] as const, signal };
    const answer = await client.get('users', {}, options);
    return answer.ok ? answer.body : null;
  }, MAX_PAGES);
  return entries && new Set(entries.flatMap(({ login }) => (login ? [login.toLowerCase()] : [])));
}

/** The account that the client calls as. */
export async function readCaller(client: BoxClient, signal: AbortSignal): Promise<BoxUser> {
  const query = { fields: 'id,login' };
  return (await client.get('me', {}, { query, schema: BoxUser, signal })).body;
}
