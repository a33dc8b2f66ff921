import { expect, test } from 'vitest';
import { CAPABILITIES, GRANTS } from '../../../core/authz/capabilities.ts';
import { type Principal, visibilityOf } from '../../../core/authz/principal.ts';
import type { DomainId, PrincipalId, TenantId } from '../../../core/kernel/ids.ts';
import { ROLES, type Role } from '../../../core/kernel/vocabulary.ts';

const OWNED = ['dom_a', 'dom_b'] as DomainId[];
const principal = (...roles: Role[]): Principal => ({
  tenantId: 'dev' as TenantId,
  principalId: 'pri_a' as PrincipalId,
  authMode: 'dev',
  kind: 'person',
  displayName: '',
  title: '',
  department: '',
  roles,
  ownedDomains: OWNED,
});

test('without a role, and with roles that lack it, every capability is denied', () => {
  for (const capability of CAPABILITIES) {
    expect(visibilityOf(principal(), capability), capability).toBeNull();
    const without = ROLES.filter((role) => GRANTS[capability][role] === null);
    expect(visibilityOf(principal(...without), capability), capability).toBeNull();
  }
});

test('each grant reaches as far as the table says', () => {
  for (const capability of CAPABILITIES) {
    for (const role of ROLES) {
      const scope = GRANTS[capability][role];
      const expected =
        scope === null
          ? null
          : scope === 'tenant'
            ? { kind: 'tenant' }
            : { kind: 'domains', domainIds: OWNED };
      expect(visibilityOf(principal(role), capability), `${role} ${capability}`).toEqual(expected);
    }
  }
});

test('the widest of several roles counts', () => {
  expect(visibilityOf(principal('domain_owner', 'auditor'), 'finding.read')).toEqual({ kind: 'tenant' });
  expect(visibilityOf(principal('auditor', 'domain_owner'), 'review.read')).toMatchObject({
    kind: 'domains',
  });
});

test('an owner of nothing sees nothing, rather than everything', () => {
  const owner = { ...principal('domain_owner'), ownedDomains: [] };
  expect(visibilityOf(owner, 'review.read')).toEqual({ kind: 'domains', domainIds: [] });
});
