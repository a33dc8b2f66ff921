import { expect, it } from 'vitest';
import { detect } from '../../../core/detectors/engine/detect.ts';
import { DETECTORS } from '../../../core/detectors/index.ts';
import { linesOf } from '../../../infra/local/fixture/business-document.ts';
import { DEVELOPMENT_TAXONOMY } from '../../../infra/local/fixture/development-taxonomy.ts';
import {
  OWNER_ASSIGNMENTS,
  PERSONAS,
  SCOPE_EXPECTATIONS,
} from '../../../infra/local/fixture/development-tenant.ts';
import { fixtureDocument } from '../../../infra/local/fixture/fixture-content.ts';
import { seedFixture } from '../../../infra/local/fixture/seed-fixture.ts';

const types = DEVELOPMENT_TAXONOMY.flatMap((domain) => domain.informationTypes);
const domainIds = DEVELOPMENT_TAXONOMY.map((domain) => domain.id);
const texts = seedFixture('development').items.map((item) => linesOf(fixtureDocument(item)).join('\n'));

it('has a persona for every role, two governance admins, and one without a role', () => {
  const holders = (role: string) => PERSONAS.filter((persona) => persona.roles.some((held) => held === role));
  for (const role of ['platform_admin', 'remediation_approver', 'auditor'])
    expect(holders(role).length).toBeGreaterThanOrEqual(1);
  expect(holders('governance_admin')).toHaveLength(2);
  expect(holders('domain_owner').length).toBeGreaterThanOrEqual(6);
  expect(PERSONAS.filter((persona) => persona.roles.length === 0)).toHaveLength(1);
  expect(new Set(PERSONAS.map((persona) => persona.id)).size).toBe(PERSONAS.length);
});

it('has an owner for every domain, and assignments of domain owners only', () => {
  const owners = PERSONAS.filter((persona) => persona.roles.includes('domain_owner')).map(
    (persona) => persona.id,
  );
  const owned = OWNER_ASSIGNMENTS.filter((assignment) => assignment.kind === 'owner');
  expect(owned.map((assignment) => assignment.domainId).toSorted()).toEqual(domainIds.toSorted());
  expect(new Set(OWNER_ASSIGNMENTS.map((assignment) => assignment.principalId))).toEqual(new Set(owners));
  expect(new Set(owned.map((assignment) => assignment.principalId)).size).toBeLessThan(owned.length);
});

it('has six domains or more, of three to five information types each', () => {
  expect(domainIds.length).toBeGreaterThanOrEqual(6);
  for (const domain of DEVELOPMENT_TAXONOMY) {
    expect(domain.informationTypes.length).toBeGreaterThanOrEqual(3);
    expect(domain.informationTypes.length).toBeLessThanOrEqual(5);
  }
  expect(new Set(types.map((type) => type.id)).size).toBe(types.length);
});

it('expects known domains at the sites of the fixture', () => {
  const sites = seedFixture('development').scopes.map((scope) => scope.externalId);
  expect(SCOPE_EXPECTATIONS.map((expectation) => expectation.scopeExternalId).toSorted()).toEqual(
    sites.toSorted(),
  );
  for (const { domainId } of SCOPE_EXPECTATIONS) if (domainId !== null) expect(domainIds).toContain(domainId);
});

it('names detectors that exist, and keywords in lower case, each once', () => {
  const detectorIds = DETECTORS.map((detector) => detector.id);
  for (const { indicators } of types) {
    for (const id of indicators.detectors) expect(detectorIds).toContain(id);
    expect(indicators.keywords).toEqual([...new Set(indicators.keywords.map((word) => word.toLowerCase()))]);
  }
});

it('finds documents of every information type in the fixture tenant', () => {
  const folded = texts.map((text) => text.toLowerCase());
  for (const type of types) {
    const found = folded.filter(
      (text) => type.indicators.keywords.filter((word) => text.includes(word)).length >= 3,
    );
    expect(found.length, type.id).toBeGreaterThan(0);
  }
});

it('plants identifiers that pass the checks of their detectors', () => {
  const found = new Set(texts.flatMap((text) => detect(text, DETECTORS)).map((signal) => signal.detectorId));
  for (const id of [
    'credit_card',
    'iban',
    'bic',
    'us_ssn',
    'de_tax_id',
    'fr_nir',
    'es_dni',
    'uk_nino',
    'uk_nhs',
    'email_address',
    'phone_number',
    'ipv4_address',
    'vin',
    'date_of_birth',
    'private_key',
    'api_key',
    'assigned_secret',
    'icd10_code',
    'passport_number',
    'salary_amount',
  ])
    expect(found, id).toContain(id);
});
