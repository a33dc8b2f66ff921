import { z } from 'zod';
import type { Grant } from '../connectors/connector.ts';
import { EXPOSURES, type Exposure, exposureOf } from '../findings/exposure.ts';

/** How many grantees of each kind an asset has. A grantee with several grants counts once. */
export type AccessCounts = {
  anyone: number;
  organization: number;
  /** Of these, those that include guests. */
  guests: number;
  broadGroups: number;
  people: number;
  groups: number;
  links: number;
  /** Of the people, groups and links, those outside the organisation. */
  outside: number;
};

/** The widest exposure of the grants that were counted, as `exposureOf` finds it. */
export function exposureOfCounts(counts: AccessCounts): Exposure | null {
  const grantees: Readonly<Record<Exposure, number>> = {
    anyone: counts.anyone,
    external: counts.outside + counts.guests,
    organization: counts.organization,
    broad_group: counts.broadGroups,
  };
  return EXPOSURES.find((exposure) => grantees[exposure] > 0) ?? null;
}

/** Who can open an asset, in one sentence. `isObserved`: the source was asked. `isComplete`: it reports every grant. */
export function accessInWords(
  counts: AccessCounts,
  { isObserved, isComplete }: { isObserved: boolean; isComplete: boolean },
): string {
  if (!isObserved) return 'Nobody has looked yet who can open it.';
  const who = [
    counts.anyone > 0 ? 'anyone with a link' : null,
    counts.organization > 0
      ? `everyone in the organisation${counts.guests > 0 ? ' with its guests' : ''}`
      : null,
    counts.broadGroups > 0 ? 'a group that holds nearly everyone' : null,
    counted(counts.people, 'person', 'people'),
    counted(counts.groups, 'group', 'groups'),
    prefixed('the holders of', counted(counts.links, 'link', 'links')),
  ].filter((each) => each !== null);
  const outside = counts.outside > 0 ? `, ${counts.outside} of them outside the organisation` : '';
  const sentence = who.length === 0 ? 'No grant is known.' : `${capital(listed(who))} can open it${outside}.`;
  return isComplete ? sentence : `${sentence} The source does not report every grant.`;
}

const counted = (count: number, one: string, several: string): string | null =>
  count === 0 ? null : `${count} ${count === 1 ? one : several}`;

const prefixed = (prefix: string, text: string | null): string | null => text && `${prefix} ${text}`;

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Grants of one reach. `principal` is null if the reader may not see who it is. */
export const GrantGroupSchema = z.object({
  count: z.int().describe('Grants of the group, including those that are not listed'),
  items: z.array(
    z.object({
      principal: z.string().nullable(),
      principalKind: z.enum(['user', 'group', 'link', 'organization', 'anyone']),
      role: z.enum(['read', 'write', 'owner']),
      inherited: z.boolean().nullable(),
    }),
  ),
  truncated: z.boolean(),
});
type GrantGroup = z.infer<typeof GrantGroupSchema>;

/**
 * The grants of an asset by how far they reach. `organization` includes groups that hold nearly everyone. `outside` are
 * people and groups of other organisations, `inside` all others that are named.
 */
export const GrantGroupsSchema = z.object({
  anyone: GrantGroupSchema,
  organization: GrantGroupSchema,
  outside: GrantGroupSchema,
  inside: GrantGroupSchema,
});
export type GrantGroups = z.infer<typeof GrantGroupsSchema>;

const MAX_LISTED = 50;

/** Groups grants by their reach. Without `areNamed`, nobody is named. */
export function groupGrants(grants: readonly Grant[], areNamed: boolean): GrantGroups {
  const byReach = Map.groupBy(grants, reachOf);
  const group = (reach: keyof GrantGroups): GrantGroup => {
    const all = byReach.get(reach) ?? [];
    return {
      count: all.length,
      items: all.slice(0, MAX_LISTED).map(({ principal, principalKind, role, inherited }) => ({
        principal: areNamed ? principal : null,
        principalKind,
        role,
        inherited,
      })),
      truncated: all.length > MAX_LISTED,
    };
  };
  return {
    anyone: group('anyone'),
    organization: group('organization'),
    outside: group('outside'),
    inside: group('inside'),
  };
}

function reachOf(grant: Grant): keyof GrantGroups {
  switch (exposureOf([grant])) {
    case 'anyone':
      return 'anyone';
    case 'external':
      return 'outside';
    case 'organization':
    case 'broad_group':
      return 'organization';
    case null:
      return 'inside';
  }
}
