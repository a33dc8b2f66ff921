import type { Role } from '../../core/kernel/vocabulary.ts';
import { type ApiClient, signIn, signInThroughProvider } from './api-client.ts';
import { PERSONAS } from './fixture/development-tenant.ts';

/** Signs in a persona who has a role. */
export type SignInAs = (role: Role) => Promise<ApiClient>;

type Persona = { principalId: string; roles: readonly Role[] };

export const byDevelopmentSignIn =
  (url: string): SignInAs =>
  async (role) => {
    const response = await fetch(`${url}/api/auth/dev/personas`);
    const { items } = (await response.json()) as { items: Persona[] };
    return signIn(url, personaWith(items, role));
  };

/** The service lists nobody there, so it is who had the role when the tenant was made. */
export const byProvider =
  (url: string): SignInAs =>
  (role) =>
    signInThroughProvider(
      url,
      personaWith(
        PERSONAS.map(({ id: principalId, roles }) => ({ principalId, roles })),
        role,
      ),
    );

function personaWith(personas: readonly Persona[], role: Role): string {
  const persona = personas.find((each) => each.roles.includes(role));
  if (persona === undefined) throw new Error(`the development tenant has no ${role}`);
  return persona.principalId;
}
