import { z } from 'zod';

/** Counts that grow with the assets stop here. */
export const MAX_COUNTED = 1_000;

const STEPS = [
  'profile',
  'policies',
  'taxonomy_drafted',
  'taxonomy_approved',
  'owners_assigned',
  'source_connected',
  'first_scan',
  'first_review',
] as const;
type StepName = (typeof STEPS)[number];

const CountsSchema = z.record(z.string(), z.int());
const StepSchema = z.object({
  step: z.enum(STEPS),
  state: z.enum(['open', 'started', 'done']),
  /** The onboarding is complete without its optional steps. */
  optional: z.boolean(),
  counts: CountsSchema,
});

/** `nextStep` is the first required step that is not done, with a hint. Null if all are done. */
export const ProgressSchema = z.object({
  steps: z.array(StepSchema),
  nextStep: z.object({ step: z.enum(STEPS), hint: z.string() }).nullable(),
});
export type Progress = z.infer<typeof ProgressSchema>;

/** Counts of what a tenant has. */
export type OnboardingFacts = {
  profiles: number;
  policies: number;
  domains: number;
  informationTypes: number;
  approvedDomains: number;
  approvedTypes: number;
  ownedDomains: number;
  connectors: number;
  scopes: number;
  scannedScopes: number;
  activeScans: number;
  /** At most `MAX_COUNTED`, as is `pendingCandidates`. */
  decisions: number;
  pendingCandidates: number;
};

const HINTS: Readonly<Record<StepName, string>> = {
  profile: 'Save the organization profile: POST /api/onboarding/profile.',
  policies: 'Upload policies, so that mappings may cite them: POST /api/onboarding/policy-documents.',
  taxonomy_drafted:
    'Have a taxonomy drafted: POST /api/onboarding/generate-taxonomy. Or draft domains by hand.',
  taxonomy_approved:
    'Approve a domain and an information type in it: POST /api/governance/domains/{id}/approve, then ' +
    'POST /api/governance/information-types/{id}/approve.',
  owners_assigned: 'Give each approved domain an owner: POST /api/governance/owners.',
  source_connected: 'Connect a source: POST /api/sources/connect.',
  first_scan: 'Start an inventory of a scope, and let it end: POST /api/scans.',
  first_review: 'Have an owner answer a candidate: GET /api/review/queue.',
};

/** The steps in their order, and the next one to take. */
export function progressOf(facts: OnboardingFacts): Progress {
  const step = (
    name: StepName,
    done: boolean,
    started: boolean,
    counts: Progress['steps'][number]['counts'],
  ) => ({
    step: name,
    state: done ? ('done' as const) : started ? ('started' as const) : ('open' as const),
    optional: name === 'policies',
    counts,
  });
  const { domains, informationTypes, approvedDomains, approvedTypes, ownedDomains } = facts;
  const { connectors, scopes, scannedScopes, activeScans, decisions, pendingCandidates } = facts;
  const steps = [
    step('profile', facts.profiles > 0, false, { profiles: facts.profiles }),
    step('policies', facts.policies > 0, false, { documents: facts.policies }),
    step('taxonomy_drafted', informationTypes > 0, domains > 0, { domains, informationTypes }),
    step('taxonomy_approved', approvedTypes > 0, approvedDomains > 0, {
      approvedDomains,
      approvedInformationTypes: approvedTypes,
      draftDomains: domains - approvedDomains,
      draftInformationTypes: informationTypes - approvedTypes,
    }),
    step('owners_assigned', approvedDomains > 0 && ownedDomains === approvedDomains, ownedDomains > 0, {
      approvedDomains,
      ownedDomains,
    }),
    step('source_connected', scopes > 0, connectors > 0, { connectors, scopes }),
    step('first_scan', scannedScopes > 0, activeScans > 0, { scannedScopes, activeScans }),
    step('first_review', decisions > 0, pendingCandidates > 0, { decisions, pendingCandidates }),
  ];
  const next = steps.find(({ state, optional }) => state !== 'done' && !optional);
  return { steps, nextStep: next === undefined ? null : { step: next.step, hint: HINTS[next.step] } };
}
