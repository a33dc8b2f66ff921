import type { Grant } from '../connector.ts';
import type { DrivePermission } from './drive-answers.ts';

type Known = { ownDomains: ReadonlySet<string>; now: number };

/**
 * The grant of one permission. None of one that has expired, that shows the name of a folder alone, or that a folder with
 * limited access does not inherit. A pending owner has the role of a writer until then.
 */
export function grantsOf(permission: DrivePermission, known: Known): Grant[] {
  const { type, deleted, view, expirationTime } = permission;
  const role = roleOf(permission.role);
  const hasExpired = Boolean(expirationTime) && Date.parse(expirationTime ?? '') <= known.now;
  const inherited = inheritedOf(permission);
  // Owners and managers open folders with limited access too.
  const isCut = permission.inheritedPermissionsDisabled === true && inherited === true && role !== 'owner';
  if (role === null || deleted === true || view === 'metadata' || hasExpired || isCut) return [];
  const terms = { role, inherited };
  switch (type) {
    case 'anyone':
      return [{ ...terms, principal: anyoneBy(permission), principalKind: 'anyone', external: true }];
    case 'domain': {
      const domain = permission.domain?.toLowerCase() ?? '';
      const external = !known.ownDomains.has(domain);
      return [{ ...terms, principal: domain || 'domain', principalKind: 'organization', external }];
    }
    case 'user':
    case 'group': {
      const address = permission.emailAddress ?? null;
      const principal = address ?? permission.displayName;
      if (!principal) return [];
      return [{ ...terms, principal, principalKind: type, external: isOutside(address, known.ownDomains) }];
    }
    default:
      return [];
  }
}

const anyoneBy = ({ allowFileDiscovery }: DrivePermission): string =>
  allowFileDiscovery === true ? 'anyone on the web' : 'anyone with the link';

/** Without an address nobody says that the principal is from outside. */
function isOutside(address: string | null, ownDomains: ReadonlySet<string>): boolean {
  const domain = address === null ? undefined : /@([^@\s]+)$/.exec(address)?.[1];
  return domain !== undefined && !ownDomains.has(domain.toLowerCase());
}

/** A manager of a shared drive (`organizer`) may do with it what an owner may. A role that is not known reads. */
function roleOf(role: string | null | undefined): Grant['role'] | null {
  switch (role) {
    case 'owner':
    case 'organizer':
      return 'owner';
    case 'fileOrganizer':
    case 'writer':
      return 'write';
    default:
      return role ? 'read' : null;
  }
}

/** Of a shared drive alone. One direct grant makes the permission the item's own. */
function inheritedOf({ permissionDetails }: DrivePermission): boolean | null {
  if (!permissionDetails || permissionDetails.length === 0) return null;
  return permissionDetails.every(({ inherited }) => inherited === true);
}
