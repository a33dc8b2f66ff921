import { expect, test } from 'vitest';
import { type OnboardingFacts, progressOf } from '../../../core/governance/onboarding-progress.ts';

const NOTHING: OnboardingFacts = {
  profiles: 0,
  policies: 0,
  domains: 0,
  informationTypes: 0,
  approvedDomains: 0,
  approvedTypes: 0,
  ownedDomains: 0,
  connectors: 0,
  scopes: 0,
  scannedScopes: 0,
  activeScans: 0,
  decisions: 0,
  pendingCandidates: 0,
};

test('one step leads to the next, and policies are never in the way', () => {
  const steps: [facts: Partial<OnboardingFacts>, next: string | null][] = [
    [{}, 'profile'],
    [{ profiles: 1 }, 'taxonomy_drafted'],
    [{ domains: 3 }, 'taxonomy_drafted'],
    [{ informationTypes: 9 }, 'taxonomy_approved'],
    [{ approvedDomains: 2 }, 'taxonomy_approved'],
    [{ approvedTypes: 1 }, 'owners_assigned'],
    [{ ownedDomains: 1 }, 'owners_assigned'],
    [{ ownedDomains: 2 }, 'source_connected'],
    [{ connectors: 1 }, 'source_connected'],
    [{ scopes: 4 }, 'first_scan'],
    [{ activeScans: 1 }, 'first_scan'],
    [{ scannedScopes: 1, activeScans: 0 }, 'first_review'],
    [{ pendingCandidates: 5 }, 'first_review'],
    [{ decisions: 1 }, null],
  ];
  let facts = NOTHING;
  for (const [more, next] of steps) {
    facts = { ...facts, ...more };
    const progress = progressOf(facts);
    expect(progress.nextStep?.step ?? null, JSON.stringify(more)).toBe(next);
    expect(progress.nextStep === null || progress.nextStep.hint.length > 10).toBe(true);
  }
  expect(progressOf(facts).steps.map(({ step, state }) => `${step} ${state}`)).toEqual([
    'profile done',
    'policies open',
    'taxonomy_drafted done',
    'taxonomy_approved done',
    'owners_assigned done',
    'source_connected done',
    'first_scan done',
    'first_review done',
  ]);
});

test('what was begun and is not done says so, with its counts', () => {
  const { steps } = progressOf({
    ...NOTHING,
    domains: 3,
    informationTypes: 7,
    approvedDomains: 2,
    ownedDomains: 1,
  });
  expect(steps.filter(({ state }) => state === 'started')).toEqual([
    {
      step: 'taxonomy_approved',
      state: 'started',
      optional: false,
      counts: {
        approvedDomains: 2,
        approvedInformationTypes: 0,
        draftDomains: 1,
        draftInformationTypes: 7,
      },
    },
    {
      step: 'owners_assigned',
      state: 'started',
      optional: false,
      counts: { approvedDomains: 2, ownedDomains: 1 },
    },
  ]);
});
