import { expect, test } from 'vitest';
import {
  type AccessCounts,
  accessInWords,
  exposureOfCounts,
  groupGrants,
} from '../../../core/assets/access.ts';
import type { Grant } from '../../../core/connectors/connector.ts';

const counts = (some: Partial<AccessCounts>): AccessCounts => ({
  ...{ anyone: 0, organization: 0, guests: 0, broadGroups: 0, people: 0, groups: 0, links: 0, outside: 0 },
  ...some,
});
const OBSERVED = { isObserved: true, isComplete: true };

test.each([
  [{}, 'No grant is known.', null],
  [{ people: 1 }, '1 person can open it.', null],
  [{ people: 14, groups: 1 }, '14 people and 1 group can open it.', null],
  [
    { anyone: 1, people: 14, outside: 2 },
    'Anyone with a link and 14 people can open it, 2 of them outside the organisation.',
    'anyone',
  ],
  [{ people: 2, outside: 1 }, '2 people can open it, 1 of them outside the organisation.', 'external'],
  [{ organization: 1, guests: 1 }, 'Everyone in the organisation with its guests can open it.', 'external'],
  [
    { organization: 1, links: 2 },
    'Everyone in the organisation and the holders of 2 links can open it.',
    'organization',
  ],
  [{ broadGroups: 1 }, 'A group that holds nearly everyone can open it.', 'broad_group'],
])('%j: %s', (some, words, exposure) => {
  expect(accessInWords(counts(some), OBSERVED)).toBe(words);
  expect(exposureOfCounts(counts(some))).toBe(exposure);
});

test('says what is not known', () => {
  expect(accessInWords(counts({ people: 1 }), { isObserved: false, isComplete: true })).toBe(
    'Nobody has looked yet who can open it.',
  );
  expect(accessInWords(counts({ people: 1 }), { isObserved: true, isComplete: false })).toBe(
    '1 person can open it. The source does not report every grant.',
  );
});

test('grants are grouped; without the capability there are numbers and no names', () => {
  const grants = Array.from(
    { length: 60 },
    (_, at): Grant => ({
      ...{ principal: `person ${at}`, principalKind: 'user', external: false },
      ...{ role: 'read', inherited: null },
    }),
  );
  const { inside, outside } = groupGrants(grants, false);
  expect([inside.count, inside.items.length, inside.truncated]).toEqual([60, 50, true]);
  expect(new Set(inside.items.map(({ principal }) => principal))).toEqual(new Set([null]));
  expect(outside).toEqual({ count: 0, items: [], truncated: false });
  expect(groupGrants(grants, true).inside.items[0]?.principal).toBe('person 0');
});
