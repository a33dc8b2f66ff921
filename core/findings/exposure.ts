import type { Grant } from '../connectors/connector.ts';

/** How far access reaches beyond the people and groups that an asset is meant for, the furthest first. */
const EXPOSURES = ['anyone', 'external', 'organization', 'broad_group'] as const;
export type Exposure = (typeof EXPOSURES)[number];

/** Groups that every directory makes for nearly everyone, as the languages of Windows and Microsoft 365 name them. */
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

/** The furthest that any grant reaches, or null where access is for named people and groups. */
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
