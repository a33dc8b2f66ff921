import { z } from 'zod';
import { fewAtATime } from '../../kernel/few-at-a-time.ts';
import { list, text } from '../cloud-http/answer-fields.ts';
import type { AddressBook, ListedPerson } from '../directory.ts';
import { blocked, notConfigured, OK, type Probed } from '../probe.ts';
import { BOX_ID } from './box-answers.ts';
import type { BoxClient } from './box-client.ts';

const Colleagues = z.object({
  entries: list(z.object({ login: text, name: text, job_title: text, status: text })),
});
const Memberships = z.object({ entries: list(z.object({ role: text, user: z.object({ login: text }) })) });
const Groups = z.object({ entries: z.array(z.unknown()) });

/** The right of the application at Box to see who is in a group. */
const GROUPS = 'manage_groups';
const REFUSED = [403, 404] as const;
const PAGE_SIZE = 1_000;
/** Each is a call. One question makes them a few at a time. */
const MOST_ADDRESSES = 20;
const MOST_GROUPS = 10;

/**
 * People of the enterprise and administrators of its groups, by sign-in names, which Box has confirmed as addresses. Box
 * knows no departments. What the application may not ask is left out.
 */
export function createBoxAddressBook(client: BoxClient): AddressBook {
  const personAt = async (address: string, signal: AbortSignal): Promise<ListedPerson[]> => {
    const query = {
      filter_term: address,
      user_type: 'managed',
      fields: 'login,name,job_title,status',
      limit: PAGE_SIZE,
    };
    const answer = await client.get('users', {}, { query, schema: Colleagues, expect: REFUSED, signal });
    if (!answer.ok) return [];
    // The term is the beginning of a name or of an address.
    return answer.body.entries.flatMap(({ login, name, job_title, status }) =>
      login?.toLowerCase() === address.toLowerCase() && status !== 'inactive'
        ? [{ displayName: name || login, title: job_title ?? '', department: '', email: login }]
        : [],
    );
  };
  const peopleAt = async (addresses: readonly string[], signal: AbortSignal): Promise<ListedPerson[]> => {
    const distinct = [...new Set(addresses.map((each) => each.toLowerCase()))];
    return (await fewAtATime(distinct.slice(0, MOST_ADDRESSES), (each) => personAt(each, signal))).flat();
  };
  const administratorsOf = async (groupId: string, signal: AbortSignal): Promise<string[] | null> => {
    const options = { query: { limit: PAGE_SIZE, offset: 0 }, schema: Memberships, expect: REFUSED, signal };
    const answer = await client.get('group_memberships', { groupId }, options);
    if (!answer.ok) return null;
    return answer.body.entries.flatMap(({ role, user }) =>
      role === 'admin' && user.login ? [user.login] : [],
    );
  };
  return {
    peopleAt,
    ownersOfGroups: async (groups, signal) => {
      const ids = groups.filter((id) => BOX_ID.test(id)).slice(0, MOST_GROUPS);
      const logins = await fewAtATime(ids, (id) => administratorsOf(id, signal));
      const people = await peopleAt(
        logins.flatMap((each) => each ?? []),
        signal,
      );
      const byLogin = new Map(people.map((person) => [person.email.toLowerCase(), person]));
      return new Map(
        ids.flatMap((id, at) => {
          const theirs = logins[at]?.flatMap((login) => byLogin.get(login.toLowerCase()) ?? []);
          return theirs === undefined ? [] : [[id, theirs] as const];
        }),
      );
    },
  };
}

/** Whether the application lists groups. A folder is scanned without that. */
export async function probeBoxGroups(client: BoxClient, signal: AbortSignal): Promise<Probed> {
  const options = { query: { limit: 1 }, schema: Groups, expect: REFUSED, signal };
  const answer = await client.get('groups', {}, options);
  if (answer.ok) return OK;
  return answer.codes.includes('insufficient_scope')
    ? notConfigured('optional_permission', GROUPS)
    : blocked('missing_permission', GROUPS);
}
