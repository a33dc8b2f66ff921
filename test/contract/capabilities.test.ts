import { describe, expect, test } from 'vitest';
import { CAPABILITIES, type Capability, GRANTS } from '../../core/authz/capabilities.ts';
import { ROLES, type Role } from '../../core/kernel/vocabulary.ts';

const granted = (role: Role) => CAPABILITIES.filter((capability) => GRANTS[capability][role] !== null);
/** A question changes nothing but the history of who asks. */
const isRead = (capability: Capability) => capability.endsWith('.read') || capability === 'analyst.query';

test('the table is total over roles and capabilities', () => {
  expect(Object.keys(GRANTS).sort()).toEqual([...CAPABILITIES].sort());
  expect(new Set(CAPABILITIES).size).toBe(CAPABILITIES.length);
  for (const capability of CAPABILITIES) {
    expect(Object.keys(GRANTS[capability]).sort(), capability).toEqual([...ROLES].sort());
    for (const role of ROLES) expect([null, 'tenant', 'domain']).toContain(GRANTS[capability][role]);
  }
});

test('every capability is granted to somebody, and no role to nobody', () => {
  for (const capability of CAPABILITIES) {
    expect(
      Object.values(GRANTS[capability]).some((scope) => scope !== null),
      capability,
    ).toBe(true);
  }
  for (const role of ROLES) expect(granted(role).length, role).toBeGreaterThan(0);
});

describe('deliberate exclusions', () => {
  test('platform_admin has no evidence, excerpt or review capability', () => {
    const excluded = granted('platform_admin').filter((capability) =>
      /^(?:review|asset|analyst|finding|action)\./.test(capability),
    );
    expect(excluded).toEqual([]);
    expect(GRANTS['asset.evidence.excerpt.read'].platform_admin).toBeNull();
    expect(GRANTS['review.read'].platform_admin).toBeNull();
    expect(GRANTS['review.decide'].platform_admin).toBeNull();
  });

  test('platform_admin neither writes the taxonomy, releases models nor reads the audit', () => {
    expect(granted('platform_admin').filter((name) => /^(?:governance|model|audit)\./.test(name))).toEqual(
      [],
    );
  });

  test('what a domain owner holds is never tenant-wide', () => {
    for (const capability of CAPABILITIES)
      expect(GRANTS[capability].domain_owner, capability).not.toBe('tenant');
  });

  test('nobody but a domain owner holds anything by domain', () => {
    for (const role of ROLES.filter((name) => name !== 'domain_owner')) {
      for (const capability of CAPABILITIES) expect(GRANTS[capability][role]).not.toBe('domain');
    }
  });

  test('the remediation approver approves, cancels and reads metadata, nothing else', () => {
    expect(granted('remediation_approver').sort()).toEqual([
      'action.approve',
      'action.cancel',
      'asset.metadata.read',
    ]);
  });

  test('who drafts or submits an action cannot approve one', () => {
    for (const role of ROLES) {
      const drafts = GRANTS['action.draft'][role] !== null || GRANTS['action.submit'][role] !== null;
      expect(drafts && GRANTS['action.approve'][role] !== null, role).toBe(false);
    }
  });

  test('the auditor reads and changes nothing', () => {
    expect(granted('auditor').filter((capability) => !isRead(capability))).toEqual([]);
  });

  test('the auditor reads governance, operations, findings, actions, audit, no excerpt', () => {
    for (const capability of [
      'governance.taxonomy.read',
      'governance.policy.read',
      'operations.read',
      'finding.read',
      'audit.read',
    ] as const) {
      expect(GRANTS[capability].auditor, capability).toBe('tenant');
    }
    expect(GRANTS['asset.evidence.excerpt.read'].auditor).toBeNull();
  });

  test('excerpts are for domain owners alone, and so are reviews and attestations', () => {
    for (const capability of [
      'asset.evidence.excerpt.read',
      'review.read',
      'review.decide',
      'governance.owner.attest',
    ] as const) {
      const holders = ROLES.filter((role) => GRANTS[capability][role] !== null);
      expect(holders, capability).toEqual(['domain_owner']);
    }
  });

  test('taxonomy, owners and releases are the governance administrator’s alone', () => {
    for (const capability of [
      'governance.taxonomy.propose',
      'governance.taxonomy.admin',
      'governance.taxonomy.approve',
      'governance.owner.assign',
      'model.release.propose',
      'model.release.approve',
      'model.dataset.curate',
    ] as const) {
      const holders = ROLES.filter((role) => GRANTS[capability][role] !== null);
      expect(holders, capability).toEqual(['governance_admin']);
    }
  });

  test('scans and connectors are the platform administrator’s alone', () => {
    for (const capability of CAPABILITIES.filter(
      (name) => /^(?:connector|scan)\./.test(name) && !isRead(name),
    )) {
      const holders = ROLES.filter((role) => GRANTS[capability][role] !== null);
      expect(holders, capability).toEqual(['platform_admin']);
    }
  });
});
