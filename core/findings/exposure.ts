import type { Grant } from '../connectors/connector.ts';
import { isBroadGroup } from '../kernel/broad-groups.ts';

/** Who can read an asset besides the people and groups that are named in its grants; the widest first. */
export const EXPOSURES = ['anyone', 'external', 'organization', 'broad_group'] as const;
export type Exposure = (typeof EXPOSURES)[number];

/** The widest exposure of any grant, or null if only named people and groups have access. */
export const exposureOf = (grants: readonly Grant[]): Exposure | null =>
  EXPOSURES.find((exposure) => grants.some((grant) => reachOf(grant) === exposure)) ?? null;

function reachOf({ principal, principalKind, external }: Grant): Exposure | null {
  if (principalKind === 'anyone') return 'anyone';
  if (external) return 'external';
  if (principalKind === 'organization') return 'organization';
  return principalKind === 'group' && isBroadGroup(principal) ? 'broad_group' : null;
}
