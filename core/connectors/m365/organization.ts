import type { Clock } from '../../kernel/clock.ts';
import { kept, orNull } from '../kept.ts';
import { OrganizationAnswer, page } from './graph-answers.ts';
import type { GraphClient } from './graph-client.ts';

/** The customer's organization: its id, and the domains that it has proven to own, in lower case; null if none is reported. */
export type Organization = { tenantId: string; domains: ReadonlySet<string> | null };

/** How long it is taken for true. Domains are added rarely. */
const ORGANIZATION_MS = 24 * 60 * 60_000;

const OrganizationPage = page(OrganizationAnswer);

/** Null without the permission. */
export async function readOrganization(
  client: GraphClient,
  signal: AbortSignal,
): Promise<Organization | null> {
  const answer = await client.call(
    'organization',
    {},
    {
      query: { $select: 'id,verifiedDomains' },
      schema: OrganizationPage,
      expect: [401, 403, 404] as const,
      signal,
    },
  );
  const [organization] = answer.ok ? answer.body.value : [];
  if (organization === undefined) return null;
  const names = (organization.verifiedDomains ?? []).flatMap(({ name }) => name?.toLowerCase() ?? []);
  return { tenantId: organization.id, domains: names.length === 0 ? null : new Set(names) };
}

/** The organization as it was read today. */
export const keptOrganization = (client: GraphClient, clock: Clock) =>
  kept(clock, ORGANIZATION_MS, (signal) => orNull(() => readOrganization(client, signal)), 'keep');

/**
 * The id of our tenant. For a domain name, which has a dot, the directory has it. Null if it is not known.
 * @param configured the setting: an id or a domain name
 */
export async function ourTenantId(
  configured: string | null,
  organization: () => Promise<Organization | null>,
): Promise<string | null> {
  const isId = configured !== null && !configured.includes('.');
  return isId ? configured.toLowerCase() : ((await organization())?.tenantId ?? null);
}
