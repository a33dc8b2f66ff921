import type { ErrorOut } from 'oidc-provider';

/** What a person sees of the local OpenID provider. */
export function accountsPage(accounts: readonly { subject: string; displayName: string }[]): string {
  const buttons = accounts.map(
    ({ subject, displayName }) =>
      `<p><button name="account" value="${escaped(subject)}">Sign in as ${escaped(displayName)}</button></p>`,
  );
  return page('Choose an account', `<form method="post">\n${buttons.join('\n')}\n</form>`);
}

/** @param form as the provider made it; it lacks the answer */
export function signOutPage(form: string): string {
  const button = '<button form="op.logoutForm" name="logout" value="yes">Sign out</button>';
  return page('Signing out', `${form}${button}<script>document.querySelector('button').click()</script>`);
}

export const signedOutPage = (): string => page('Signed out', '');

export function errorPage(out: ErrorOut): string {
  const lines = Object.entries(out).map(([name, value]) => `<p>${escaped(`${name}: ${value}`)}</p>`);
  return page('The identity provider refuses', lines.join('\n'));
}

const page = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body>
<h1>${title}</h1>
${body}
</body>
</html>
`;

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
