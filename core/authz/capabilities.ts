import type { Role } from '../kernel/vocabulary.ts';

/** Every permitted act, by the name that the specification's endpoint tables check. */
export const CAPABILITIES = [
  'tenant.profile.read',
  'tenant.profile.write',
  'governance.policy.ingest',
  'governance.policy.read',
  'governance.taxonomy.propose',
  'governance.taxonomy.read',
  'governance.taxonomy.admin',
  'governance.taxonomy.approve',
  'governance.suppression.read',
  'governance.suppression.create',
  'governance.suppression.approve',
  'governance.owner.assign',
  'governance.owner.attest',
  'ai.usage.read',
  'connector.configure',
  'connector.test',
  'scan.job.read',
  'scan.job.create',
  'scan.job.pause',
  'scan.job.resume',
  'scan.job.cancel',
  'model.dataset.curate',
  'model.release.propose',
  'model.release.approve',
  'review.read',
  'review.decide',
  'analyst.query',
  'action.draft',
  'action.submit',
  'action.approve',
  'action.cancel',
  'task.update',
  'asset.metadata.read',
  'asset.evidence.excerpt.read',
  'finding.read',
  'finding.acknowledge',
  'operations.read',
  'operations.manage',
  'audit.read',
  'principal.read',
  'principal.manage',
  'license.read',
  'license.manage',
  'telemetry.read',
  'telemetry.manage',
  'support.diagnostics.read',
] as const;

export type Capability = (typeof CAPABILITIES)[number];

/** How far a grant reaches: the whole tenant, or the domains that the principal owns. */
export type GrantScope = 'tenant' | 'domain';

const tenant = 'tenant';
const domain = 'domain';
const no = null;

/**
 * The one table of who may do what: total over capabilities and roles, so that neither a new capability nor a new
 * role compiles before somebody has decided. Derived from the specification's role summary; what it does not give
 * to a role is denied.
 */
export const GRANTS: Readonly<Record<Capability, Readonly<Record<Role, GrantScope | null>>>> = {
  'tenant.profile.read': row(tenant, tenant, no, no, tenant),
  'tenant.profile.write': row(tenant, tenant, no, no, no),
  'governance.policy.ingest': row(no, tenant, no, no, no),
  'governance.policy.read': row(no, tenant, no, no, tenant),
  'governance.taxonomy.propose': row(no, tenant, no, no, no),
  'governance.taxonomy.read': row(no, tenant, domain, no, tenant),
  'governance.taxonomy.admin': row(no, tenant, no, no, no),
  'governance.taxonomy.approve': row(no, tenant, no, no, no),
  'governance.suppression.read': row(no, tenant, domain, no, tenant),
  'governance.suppression.create': row(no, tenant, domain, no, no),
  'governance.suppression.approve': row(no, tenant, no, no, no),
  'governance.owner.assign': row(no, tenant, no, no, no),
  'governance.owner.attest': row(no, no, domain, no, no),
  'ai.usage.read': row(tenant, tenant, no, no, tenant),
  'connector.configure': row(tenant, no, no, no, no),
  'connector.test': row(tenant, no, no, no, no),
  'scan.job.read': row(tenant, tenant, domain, no, tenant),
  'scan.job.create': row(tenant, no, no, no, no),
  'scan.job.pause': row(tenant, no, no, no, no),
  'scan.job.resume': row(tenant, no, no, no, no),
  'scan.job.cancel': row(tenant, no, no, no, no),
  'model.dataset.curate': row(no, tenant, no, no, no),
  'model.release.propose': row(no, tenant, no, no, no),
  'model.release.approve': row(no, tenant, no, no, no),
  'review.read': row(no, no, domain, no, no),
  'review.decide': row(no, no, domain, no, no),
  'analyst.query': row(no, tenant, domain, no, tenant),
  'action.draft': row(no, no, domain, no, no),
  'action.submit': row(no, no, domain, no, no),
  'action.approve': row(no, no, no, tenant, no),
  'action.cancel': row(no, no, no, tenant, no),
  'task.update': row(no, no, domain, no, no),
  'asset.metadata.read': row(no, tenant, domain, tenant, tenant),
  'asset.evidence.excerpt.read': row(no, no, domain, no, no),
  'finding.read': row(no, no, domain, no, tenant),
  'finding.acknowledge': row(no, no, domain, no, no),
  'operations.read': row(tenant, no, no, no, tenant),
  'operations.manage': row(tenant, no, no, no, no),
  'audit.read': row(no, no, no, no, tenant),
  'principal.read': row(tenant, tenant, no, no, tenant),
  'principal.manage': row(tenant, no, no, no, no),
  'license.read': row(tenant, tenant, no, no, tenant),
  'license.manage': row(tenant, no, no, no, no),
  'telemetry.read': row(tenant, tenant, no, no, tenant),
  'telemetry.manage': row(tenant, tenant, no, no, no),
  'support.diagnostics.read': row(tenant, no, no, no, tenant),
};

/** Acts that a person answers for: no application holds them, whatever roles it has. */
export const HUMAN_ONLY: ReadonlySet<Capability> = new Set([
  'governance.taxonomy.admin',
  'governance.taxonomy.approve',
  'governance.suppression.create',
  'governance.suppression.approve',
  'governance.owner.assign',
  'governance.owner.attest',
  'model.release.approve',
  'review.decide',
  'action.approve',
  'principal.manage',
]);

function row(
  platformAdmin: GrantScope | null,
  governanceAdmin: GrantScope | null,
  domainOwner: GrantScope | null,
  remediationApprover: GrantScope | null,
  auditor: GrantScope | null,
): Record<Role, GrantScope | null> {
  return {
    platform_admin: platformAdmin,
    governance_admin: governanceAdmin,
    domain_owner: domainOwner,
    remediation_approver: remediationApprover,
    auditor,
  };
}
