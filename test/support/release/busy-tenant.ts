import type { Db } from '../../../core/db/tx.ts';
import type { TenantId } from '../../../core/kernel/ids.ts';
import { DEVELOPMENT_TAXONOMY } from '../../../infra/local/fixture/development-taxonomy.ts';
import { OWNER_ASSIGNMENTS, PERSONAS } from '../../../infra/local/fixture/development-tenant.ts';
import { seedFixture } from '../../../infra/local/fixture/seed-fixture.ts';
import { seedTenant } from '../../../infra/local/seed.ts';

/** The tenant of a recorded release that is at work while the release is upgraded. The other tenants stay as they are. */
export const BUSY = 'busy' as TenantId;

/** The person of the busy tenant with the same role as this one of the development tenant. */
export const inBusy = (principalId: string) => principalId.replace(/^pri_/, 'pri_busy_');

const ITEMS_PER_SCOPE = 4;

/** Creates the busy tenant: the people and domains of the development tenant, and a few items in each scope. */
export async function seedBusyTenant(owner: Db): Promise<void> {
  const { scopes, items } = seedFixture(BUSY);
  const few = scopes.flatMap(({ externalId }) =>
    items.filter(({ scopeExternalId }) => scopeExternalId === externalId).slice(0, ITEMS_PER_SCOPE),
  );
  await seedTenant(
    owner,
    {
      tenantId: BUSY,
      name: 'Busy tenant',
      personas: PERSONAS.map((persona) => ({ ...persona, id: inBusy(persona.id) })),
      taxonomy: DEVELOPMENT_TAXONOMY,
      assignments: OWNER_ASSIGNMENTS.map((each) => ({ ...each, principalId: inBusy(each.principalId) })),
      profile: null,
      fixture: { scopes, items: few },
    },
    Date.now(),
  );
}
