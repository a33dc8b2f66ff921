import type { Grant } from '../connector.ts';

const group = (principal: string, role: Grant['role']): Grant => ({
  principal,
  principalKind: 'group',
  external: false,
  role,
  inherited: true,
});

/** The grants that every item of a site inherits. */
export const siteGrants = (site: string): Grant[] => [
  group(`${site} Owners`, 'owner'),
  group(`${site} Members`, 'write'),
  group(`${site} Visitors`, 'read'),
];

export const ANYONE_GRANT: Grant = {
  principal: 'Anyone with the link',
  principalKind: 'anyone',
  external: true,
  role: 'read',
  inherited: false,
};

export const ORGANIZATION_GRANT: Grant = {
  principal: 'Everyone in the organisation',
  principalKind: 'organization',
  external: false,
  role: 'read',
  inherited: false,
};

/** Whether the grant gives access beyond named people and groups of the organization. */
export const isWide = (grant: Grant): boolean =>
  grant.external || grant.principalKind === 'anyone' || grant.principalKind === 'organization';
