import type { Grant } from '../connectors/connector.ts';

/** Who can read an asset besides the people and groups that are named in its grants; the widest first. */
const EXPOSURES = ['anyone', 'external', 'organization', 'broad_group'] as const;
export type Exposure = (typeof EXPOSURES)[number];

/** Groups that directories create for nearly everyone, in the languages of Windows and Microsoft 365. */
const BROAD_GROUPS = new Set([
  ...['everyone', 'everyone except external users', 'all users', 'all employees', 'all staff', 'all company'],
  ...['authenticated users', 'domain users', 'users', 'all authenticated users'],
  ...[
    'jeder',
    'authentifizierte benutzer',
    'domänen-benutzer',
    'benutzer',
    'alle benutzer',
    'alle mitarbeiter',
  ],
  ...['tout le monde', 'utilisateurs authentifiés', 'utilisateurs du domaine', 'utilisateurs'],
  ...['todos', 'usuarios autentificados', 'usuarios del dominio', 'usuarios', 'todos los usuarios'],
  ...['tutti', 'utenti autenticati', 'utenti del dominio', 'utenti', 'utilizadores autenticados'],
  ...['iedereen', 'geverifieerde gebruikers', 'domeingebruikers', 'gebruikers'],
  ...['wszyscy', 'użytkownicy uwierzytelnieni', 'użytkownicy domeny', 'użytkownicy'],
]);

/** The widest exposure of any grant, or null if only named people and groups have access. */
export const exposureOf = (grants: readonly Grant[]): Exposure | null =>
  EXPOSURES.find((exposure) => grants.some((grant) => reachOf(grant) === exposure)) ?? null;

function reachOf({ principal, principalKind, external }: Grant): Exposure | null {
  if (principalKind === 'anyone') return 'anyone';
  if (external) return 'external';
  if (principalKind === 'organization') return 'organization';
  // Directories write `DOMAIN\group`.
  const name = principal
    .slice(principal.lastIndexOf('\\') + 1)
    .trim()
    .toLowerCase();
  return principalKind === 'group' && BROAD_GROUPS.has(name) ? 'broad_group' : null;
}
