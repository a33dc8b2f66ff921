import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { MAX_COUNTED, type OnboardingFacts } from './onboarding-progress.ts';
import { hasOwner } from './owners.sql.ts';

/** Counts what a tenant has. Counts that grow with the assets stop at `MAX_COUNTED`. */
export async function loadFacts(tx: Tx): Promise<OnboardingFacts> {
  const tenant = sql`tenant_id = ${tx.tenantId}`;
  const [facts] = await tx.query<OnboardingFacts>(sql`
    select (select count(*)::int from organization_profiles where ${tenant}) as profiles,
           (select count(*)::int from policy_documents where ${tenant}) as policies,
           (select count(*)::int from domains where ${tenant}) as domains,
           (select count(*)::int from information_types where ${tenant}) as "informationTypes",
           (select count(*)::int from domains where ${tenant} and status = 'approved') as "approvedDomains",
           (select count(*)::int from information_types where ${tenant} and status = 'approved') as "approvedTypes",
           (select count(*)::int from domains d where ${tenant} and status = 'approved' and ${hasOwner}) as "ownedDomains",
           (select count(*)::int from connector_instances where ${tenant}) as connectors,
           (select count(*)::int from scopes where ${tenant}) as scopes,
           (select count(*)::int from scopes where ${tenant} and coverage_state is not null) as "scannedScopes",
           (select count(*)::int from campaigns
             where ${tenant} and kind <> 'rescore' and status in ('pending', 'running', 'paused')) as "activeScans",
           (select count(*)::int from (select from decisions where ${tenant} limit ${MAX_COUNTED}) as counted
           ) as decisions,
           (select count(*)::int
              from (select from candidates where ${tenant} and status = 'pending' limit ${MAX_COUNTED}) as counted
           ) as "pendingCandidates"`);
  if (facts === undefined) throw new Error('The query for onboarding facts returned no row');
  return facts;
}
