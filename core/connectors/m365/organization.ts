import { OrganizationAnswer, page } from './graph-answers.ts';
import type { GraphClient } from './graph-client.ts';

/** The customer's organization: its id, and the domains that it has proven to own, in lower case; null if none is reported. */
export type Organization = { tenantId: string; domains: ReadonlySet<string> | null };

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
