import type { Condition, Plan } from '../../../core/analyst/plan.ts';

type Shape = { question: string; plan: Plan };

const plan = (subject: Plan['subject'], where: Condition[], rest: Partial<Plan> = {}): Plan => ({
  subject,
  where,
  show: 'rows',
  groupBy: [],
  order: null,
  limit: 50,
  ...rest,
});
const assets = (where: Condition[], rest?: Partial<Plan>) => plan('assets', where, rest);
const counted = (rest: Partial<Plan> = {}): Partial<Plan> => ({ show: 'count', ...rest });
const descending = <B extends NonNullable<Plan['order']>['by']>(by: B) => ({
  by,
  direction: 'descending' as const,
});
const ascending = <B extends NonNullable<Plan['order']>['by']>(by: B) => ({
  by,
  direction: 'ascending' as const,
});

const day = (date: string) => `${date}T00:00:00.000Z`;
const FINANCE: Condition = { field: 'domain', any: ['dom_fin'] };
const HR: Condition = { field: 'domain', any: ['dom_hr'] };
const LEGAL: Condition = { field: 'domain', any: ['dom_leg'] };
const PAYROLL: Condition = { field: 'type', any: ['ift_pay'] };
const UNLABELED: Condition = { field: 'labelState', any: ['unlabeled'] };
const EXTERNAL: Condition = { field: 'exposure', any: ['anyone', 'external'] };
const CRITICAL: Condition = { field: 'severity', any: ['critical'] };
const OPEN: Condition = { field: 'findingStatus', any: ['open', 'reopened'] };
const UNRESOLVED: Condition = { field: 'findingStatus', any: ['open', 'acknowledged', 'reopened'] };
const PENDING: Condition = { field: 'candidateStatus', any: ['pending'] };
const IBAN: Condition = { field: 'identifier', any: ['iban'] };

/** One question of each shape, with its plan. */
export const SHAPES = {
  allAssets: { question: 'show all assets', plan: assets([]) },
  domain: { question: 'files in Finance', plan: assets([FINANCE]) },
  domains: {
    question: 'files in Finance and Legal',
    plan: assets([{ field: 'domain', any: ['dom_fin', 'dom_leg'] }]),
  },
  outside: { question: 'assets outside Finance', plan: assets([{ ...FINANCE, not: true }]) },
  type: { question: 'show the employment contracts', plan: assets([{ field: 'type', any: ['ift_emp'] }]) },
  typePart: { question: 'payroll documents', plan: assets([PAYROLL]) },
  unlabeled: { question: 'assets without a label', plan: assets([UNLABELED]) },
  unlabeledDomain: { question: 'unlabelled files in Legal', plan: assets([UNLABELED, LEGAL]) },
  label: {
    question: 'files labelled Highly Confidential',
    plan: assets([{ field: 'label', any: ['lab_highly'] }]),
  },
  notLabel: {
    question: 'files not labelled Confidential',
    plan: assets([{ field: 'label', any: ['lab_confidential'], not: true }]),
  },
  otherLabel: {
    question: 'files with a label other than Confidential',
    plan: assets([
      { field: 'labelState', any: ['labeled'] },
      { field: 'label', any: ['lab_confidential'], not: true },
    ]),
  },
  sensitivity: {
    question: 'restricted files',
    plan: assets([{ field: 'sensitivity', any: ['restricted'] }]),
  },
  confirmed: { question: 'confirmed assets', plan: assets([{ field: 'provenance', any: ['confirmed'] }]) },
  notConfirmed: {
    question: 'payroll documents that are not confirmed',
    plan: assets([PAYROLL, { field: 'provenance', any: ['confirmed'], not: true }]),
  },
  inferred: {
    question: 'inferred assets in Legal',
    plan: assets([{ field: 'provenance', any: ['inferred'] }, LEGAL]),
  },
  scope: {
    question: 'files in the Contracts Archive',
    plan: assets([{ field: 'scope', any: ['scp_archive'] }]),
  },
  family: { question: 'assets in mail', plan: assets([{ field: 'family', any: ['mail'] }]) },
  exposureExternal: { question: 'files shared outside the organization', plan: assets([EXTERNAL]) },
  exposureAnyone: {
    question: 'files that anyone with a link can open',
    plan: assets([{ field: 'exposure', any: ['anyone'] }]),
  },
  exposureOrg: {
    question: 'files shared with everyone in the organization',
    plan: assets([{ field: 'exposure', any: ['organization', 'broad_group'] }]),
  },
  riskCritical: {
    question: 'assets with critical risk',
    plan: assets([{ field: 'risk', any: ['critical'] }]),
  },
  riskAtLeast: {
    question: 'assets with at least high risk',
    plan: assets([{ field: 'risk', any: ['high', 'critical'] }]),
  },
  identifier: { question: 'files containing IBANs', plan: assets([IBAN]) },
  identifiersBoth: {
    question: 'files with credit card numbers and email addresses',
    plan: assets([
      { field: 'identifier', any: ['credit_card'] },
      { field: 'identifier', any: ['email_address'] },
    ]),
  },
  identifierNot: {
    question: 'files without phone numbers',
    plan: assets([{ field: 'identifier', any: ['phone_number'], not: true }]),
  },
  format: {
    question: 'spreadsheets',
    plan: assets([{ field: 'format', any: ['xlsx', 'xls', 'xlsb', 'ods'] }]),
  },
  formats: {
    question: 'PDF and Word files in Finance',
    plan: assets([{ field: 'format', any: ['pdf', 'docx', 'doc', 'wordxml'] }, FINANCE]),
  },
  unreadable: {
    question: 'files with unreadable content',
    plan: assets([{ field: 'contentState', any: ['unsupported', 'failed', 'inaccessible'] }]),
  },
  owner: { question: 'files owned by Amara Okafor', plan: assets([{ field: 'owner', any: ['pri_amara'] }]) },
  noOwner: { question: 'assets without an owner', plan: assets([{ field: 'owned', not: true }]) },
  words: { question: 'files about "merger plan"', plan: assets([{ field: 'words', text: 'merger plan' }]) },
  wordsBare: {
    question: 'files mentioning "budget" in Finance',
    plan: assets([{ field: 'words', text: 'budget' }, FINANCE]),
  },
  modifiedSince: {
    question: 'files modified since March',
    plan: assets([{ field: 'modified', from: day('2026-03-01') }]),
  },
  modifiedLastDays: {
    question: 'files modified in the last 7 days',
    plan: assets([{ field: 'modified', from: day('2026-03-11') }]),
  },
  olderThan: {
    question: 'files older than two years',
    plan: assets([{ field: 'modified', to: day('2024-03-18') }]),
  },
  createdIn: {
    question: 'files created in 2024',
    plan: assets([{ field: 'created', from: day('2024-01-01'), to: day('2025-01-01') }]),
  },
  beforeDate: {
    question: 'files modified before 2024-05-01',
    plan: assets([{ field: 'modified', to: day('2024-05-01') }]),
  },
  yesterday: {
    question: 'files modified yesterday',
    plan: assets([{ field: 'modified', from: day('2026-03-17'), to: day('2026-03-18') }]),
  },
  quarter: {
    question: 'files modified this quarter',
    plan: assets([{ field: 'modified', from: day('2026-01-01'), to: day('2026-04-01') }]),
  },
  between: {
    question: 'files modified between January 2025 and March 2025',
    plan: assets([{ field: 'modified', from: day('2025-01-01'), to: day('2025-04-01') }]),
  },
  newThisWeek: {
    question: 'new files this week',
    plan: assets([{ field: 'firstSeen', from: day('2026-03-16'), to: day('2026-03-23') }]),
  },
  large: { question: 'files larger than 10 MB', plan: assets([{ field: 'size', min: 10_000_001 }]) },
  small: { question: 'files smaller than 500 KB', plan: assets([{ field: 'size', max: 499_999 }]) },
  copies: { question: 'files with more than 5 copies', plan: assets([{ field: 'copies', min: 6 }]) },
  duplicates: { question: 'duplicates in Legal', plan: assets([{ field: 'copies', min: 1 }, LEGAL]) },
  noCopies: { question: 'files without copies', plan: assets([{ field: 'copies', max: 0 }]) },
  hasFindings: {
    question: 'assets with open findings',
    plan: assets([{ field: 'has', of: 'findings', where: [OPEN] }]),
  },
  hasCriticalFindings: {
    question: 'assets with open critical findings',
    plan: assets([{ field: 'has', of: 'findings', where: [OPEN, CRITICAL] }]),
  },
  noFindings: {
    question: 'assets without findings',
    plan: assets([{ field: 'has', of: 'findings', where: [UNRESOLVED], max: 0 }]),
  },
  manyFindings: {
    question: 'assets with more than 2 findings',
    plan: assets([{ field: 'has', of: 'findings', where: [UNRESOLVED], min: 3 }]),
  },
  pendingReviews: {
    question: 'assets with pending candidates',
    plan: assets([{ field: 'has', of: 'candidates', where: [PENDING] }]),
  },
  findings: { question: 'show the findings', plan: plan('findings', [UNRESOLVED]) },
  findingsOpen: { question: 'open findings in Finance', plan: plan('findings', [OPEN, FINANCE]) },
  findingsSeverity: {
    question: 'high and critical findings',
    plan: plan('findings', [UNRESOLVED, { field: 'severity', any: ['high', 'critical'] }]),
  },
  findingsKind: {
    question: 'ownership findings',
    plan: plan('findings', [UNRESOLVED, { field: 'findingKind', any: ['no_owner'] }]),
  },
  findingsExposure: {
    question: 'exposure findings on unlabelled files',
    plan: plan('findings', [UNRESOLVED, { field: 'findingKind', any: ['exposure'] }, UNLABELED]),
  },
  findingsOpened: {
    question: 'findings opened in the last 30 days',
    plan: plan('findings', [UNRESOLVED, { field: 'opened', from: day('2026-02-16') }]),
  },
  findingsResolved: {
    question: 'findings resolved last month',
    plan: plan('findings', [{ field: 'resolved', from: day('2026-02-01'), to: day('2026-03-01') }]),
  },
  findingsAcknowledged: {
    question: 'findings acknowledged by Amara Okafor',
    plan: plan('findings', [{ field: 'acknowledgedBy', any: ['pri_amara'] }]),
  },
  candidates: { question: 'pending candidates', plan: plan('candidates', [PENDING]) },
  candidatesDomain: { question: 'candidates in Legal', plan: plan('candidates', [PENDING, LEGAL]) },
  candidatesConfidence: {
    question: 'candidates with confidence above 80%',
    plan: plan('candidates', [PENDING, { field: 'confidence', min: 0.800001 }]),
  },
  candidatesRejected: {
    question: 'rejected candidates',
    plan: plan('candidates', [{ field: 'candidateStatus', any: ['rejected'] }]),
  },
  actions: { question: 'show all actions', plan: plan('actions', []) },
  actionsStatus: {
    question: 'actions awaiting approval',
    plan: plan('actions', [{ field: 'actionStatus', any: ['awaiting_approval'] }]),
  },
  actionsFailed: {
    question: 'failed actions this year',
    plan: plan('actions', [
      { field: 'actionStatus', any: ['failed'] },
      { field: 'moved', from: day('2026-01-01'), to: day('2027-01-01') },
    ]),
  },
  actionsFailedThen: {
    question: 'actions that failed this year',
    plan: plan('actions', [
      { field: 'actionStatus', any: ['failed'] },
      { field: 'moved', from: day('2026-01-01'), to: day('2027-01-01') },
    ]),
  },
  candidatesAnswered: {
    question: 'candidates confirmed last month',
    plan: plan('candidates', [
      { field: 'candidateStatus', any: ['confirmed'] },
      { field: 'answered', from: day('2026-02-01'), to: day('2026-03-01') },
    ]),
  },
  findingsNotResolved: {
    question: 'findings not resolved last month',
    plan: plan('findings', [
      { field: 'resolved', from: day('2026-02-01'), to: day('2026-03-01'), not: true },
    ]),
  },
  withoutBoth: {
    question: 'files without a label or an owner',
    plan: assets([UNLABELED, { field: 'owned', not: true }]),
  },
  withoutIdentifiers: {
    question: 'files without IBANs and phone numbers',
    plan: assets([
      { field: 'identifier', any: ['iban'], not: true },
      { field: 'identifier', any: ['phone_number'], not: true },
    ]),
  },
  withoutParts: {
    question: 'assets without findings or copies',
    plan: assets([
      { field: 'has', of: 'findings', where: [UNRESOLVED], max: 0 },
      { field: 'copies', max: 0 },
    ]),
  },
  noOpenFindings: {
    question: 'files not confirmed with no open findings',
    plan: assets([
      { field: 'provenance', any: ['confirmed'], not: true },
      { field: 'has', of: 'findings', where: [OPEN], max: 0 },
    ]),
  },
  actionsBy: {
    question: 'actions requested by Lena Vogel',
    plan: plan('actions', [{ field: 'requester', any: ['pri_lena'] }]),
  },
  scopes: { question: 'list the scopes', plan: plan('scopes', []) },
  scopesStale: { question: 'stale scopes', plan: plan('scopes', [{ field: 'coverage', any: ['stale'] }]) },
  scopesNever: {
    question: 'scopes never scanned',
    plan: plan('scopes', [{ field: 'coverage', any: ['never'] }]),
  },
  scopesLarge: {
    question: 'scopes with more than 1000 assets',
    plan: plan('scopes', [{ field: 'assetCount', min: 1001 }]),
  },
  who: {
    question: 'who has access to payroll documents',
    plan: assets([PAYROLL], counted({ groupBy: ['grantee'] })),
  },
  whichOutsiders: {
    question: 'which external users can open unlabelled files',
    plan: assets([{ field: 'exposure', any: ['external'] }, UNLABELED], counted({ groupBy: ['grantee'] })),
  },
  outsideDomains: {
    question: 'which external domains have the most access',
    plan: assets(
      [{ field: 'exposure', any: ['external'] }],
      counted({ groupBy: ['granteeDomain'], order: descending('measure') }),
    ),
  },
  grantee: {
    question: 'what can people at partner.example read',
    plan: assets([{ field: 'grantee', text: 'partner.example' }]),
  },
  granteeByName: {
    question: 'files in Legal accessible to "Sales Team"',
    plan: assets([LEGAL, { field: 'grantee', text: 'Sales Team' }]),
  },
  oneFile: {
    question: 'who can read the file "plan.docx"',
    plan: assets([{ field: 'name', text: 'plan.docx' }], counted({ groupBy: ['grantee'] })),
  },
  share: {
    question: 'what percentage of payroll documents is labelled',
    plan: assets([PAYROLL], counted({ share: [{ field: 'labelState', any: ['labeled'] }] })),
  },
  shareOfSome: {
    question: 'what share of the files in Finance that have IBANs is shared externally',
    plan: assets([FINANCE, IBAN], counted({ share: [EXTERNAL] })),
  },
  shareByStatus: {
    question: 'what percentage of findings is resolved',
    plan: plan('findings', [], counted({ share: [{ field: 'findingStatus', any: ['resolved'] }] })),
  },
  shareRanked: {
    question: 'which domains have the lowest share of unlabelled files',
    plan: assets([], counted({ share: [UNLABELED], groupBy: ['domain'], order: ascending('measure') })),
  },
  having: {
    question: 'which domains have more than 5 critical findings',
    plan: plan('findings', [UNRESOLVED, CRITICAL], counted({ groupBy: ['domain'], having: { min: 6 } })),
  },
  havingFew: {
    question: 'scopes with at most 10 unlabelled files',
    plan: assets([UNLABELED], counted({ groupBy: ['scope'], having: { max: 10 } })),
  },
  ranked: {
    question: 'top 10 files by number of findings',
    plan: assets([{ field: 'has', of: 'findings', where: [UNRESOLVED] }], {
      order: descending('parts'),
      limit: 10,
    }),
  },
  rankedBySome: {
    question: 'files in Legal with the most critical findings',
    plan: assets([LEGAL, { field: 'has', of: 'findings', where: [UNRESOLVED, CRITICAL] }], {
      order: descending('parts'),
    }),
  },
  mine: { question: 'my files', plan: assets([{ field: 'owner', any: ['me'] }]) },
  acknowledgedByMe: {
    question: 'findings I acknowledged',
    plan: plan('findings', [{ field: 'acknowledgedBy', any: ['me'] }]),
  },
  count: { question: 'how many assets are there', plan: assets([], counted()) },
  countUnlabeled: {
    question: 'how many files in Finance have no label',
    plan: assets([FINANCE, UNLABELED], counted()),
  },
  countFindings: {
    question: 'how many open critical findings are there',
    plan: plan('findings', [OPEN, CRITICAL], counted()),
  },
  withoutButWith: {
    question: 'files without IBANs but with phone numbers',
    plan: assets([
      { ...IBAN, not: true },
      { field: 'identifier', any: ['phone_number'] },
    ]),
  },
  withoutTwoKinds: {
    question: 'files without labels and findings',
    plan: assets([UNLABELED, { field: 'has', of: 'findings', where: [UNRESOLVED], max: 0 }]),
  },
  pendingFor: {
    question: 'candidates waiting for more than two weeks',
    plan: plan('candidates', [PENDING, { field: 'asked', to: day('2026-03-04') }]),
  },
  openFor: {
    question: 'findings that have been open for over 90 days',
    plan: plan('findings', [OPEN, { field: 'opened', to: day('2025-12-18') }]),
  },
  pendingSince: {
    question: 'candidates pending since March',
    plan: plan('candidates', [PENDING, { field: 'asked', from: day('2026-03-01') }]),
  },
  actionsStuckFor: {
    question: 'actions awaiting approval for a week',
    plan: plan('actions', [
      { field: 'actionStatus', any: ['awaiting_approval'] },
      { field: 'moved', to: day('2026-03-11') },
    ]),
  },
  monthsOfOneYear: {
    question: 'files modified between November and January 2025',
    plan: assets([{ field: 'modified', from: day('2024-11-01'), to: day('2025-02-01') }]),
  },
  ordinalDay: {
    question: 'files modified since the 21st of February',
    plan: assets([{ field: 'modified', from: day('2026-02-21') }]),
  },
  startOfYear: {
    question: 'files modified since the start of the year',
    plan: assets([{ field: 'modified', from: day('2026-01-01') }]),
  },
  openToEverybody: {
    question: 'payroll files open to everybody in the company',
    plan: assets([PAYROLL, { field: 'exposure', any: ['organization', 'broad_group'] }]),
  },
  literalName: {
    question: 'files mentioning "Amara Okafor" in Finance',
    plan: assets([{ field: 'words', text: 'Amara Okafor' }, FINANCE]),
  },
  mostRows: {
    question: 'at most 5 oldest files',
    plan: assets([], { order: ascending('modified'), limit: 5 }),
  },
  countByDomain: {
    question: 'how many assets per domain',
    plan: assets([], counted({ groupBy: ['domain'] })),
  },
  countByLabel: { question: 'assets by label', plan: assets([], counted({ groupBy: ['label'] })) },
  byKind: {
    question: 'findings by kind',
    plan: plan('findings', [UNRESOLVED], counted({ groupBy: ['findingKind'] })),
  },
  findingsBySeverity: {
    question: 'findings by severity',
    plan: plan('findings', [UNRESOLVED], counted({ groupBy: ['severity'] })),
  },
  byTwo: {
    question: 'count assets by domain and label',
    plan: assets([], counted({ groupBy: ['domain', 'label'] })),
  },
  whichDomainMost: {
    question: 'which domain has the most unlabelled files',
    plan: assets([UNLABELED], counted({ groupBy: ['domain'], order: descending('measure'), limit: 1 })),
  },
  topScopes: {
    question: 'top 5 scopes with the most externally shared files',
    plan: assets([EXTERNAL], counted({ groupBy: ['scope'], order: descending('measure'), limit: 5 })),
  },
  totalSize: { question: 'total size of the files in Finance', plan: assets([FINANCE], { show: 'size' }) },
  sizeByScope: { question: 'total size by scope', plan: assets([], { show: 'size', groupBy: ['scope'] }) },
  largest: { question: 'the 10 largest files', plan: assets([], { order: descending('size'), limit: 10 }) },
  oldest: { question: 'oldest files in Legal', plan: assets([LEGAL], { order: ascending('modified') }) },
  newest: { question: 'newest files', plan: assets([], { order: descending('modified') }) },
  riskiest: {
    question: 'top 20 riskiest assets',
    plan: assets([], { order: descending('risk'), limit: 20 }),
  },
  sorted: { question: 'files in Legal sorted by size', plan: assets([LEGAL], { order: descending('size') }) },
  mostCopies: { question: 'most copied files', plan: assets([], { order: descending('copies') }) },
  typo: { question: 'unlabeled fles in Finnance', plan: assets([UNLABELED, FINANCE]) },
  combined: {
    question: 'unlabelled files in HR shared externally with IBANs',
    plan: assets([UNLABELED, HR, EXTERNAL, IBAN]),
  },
  combinedNegated: {
    question: 'unconfirmed files in Finance without a label not modified since 2024',
    plan: assets([
      FINANCE,
      UNLABELED,
      { field: 'provenance', any: ['confirmed'], not: true },
      { field: 'modified', to: day('2024-01-01') },
    ]),
  },
} satisfies Record<string, Shape>;
