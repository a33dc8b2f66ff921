/** Groups that directories create for nearly everyone, in the languages of Windows and Microsoft 365. */
export const BROAD_GROUPS: ReadonlySet<string> = new Set([
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
  ...['jeder, außer externen benutzern', 'tout le monde sauf les utilisateurs externes'],
  ...['todos excepto los usuarios externos', 'iedereen behalve externe gebruikers'],
  ...['wszyscy', 'użytkownicy uwierzytelnieni', 'użytkownicy domeny', 'użytkownicy'],
]);

/** Whether a group is one that directories create for nearly everyone, by its name. They write `DOMAIN\group`. */
export const isBroadGroup = (name: string): boolean =>
  BROAD_GROUPS.has(
    name
      .slice(name.lastIndexOf('\\') + 1)
      .trim()
      .toLowerCase(),
  );
