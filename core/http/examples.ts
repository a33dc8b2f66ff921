/** A moment that a rule may end at: it lies ahead, by less than a year. */
const inAQuarter = `${new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`;
const plan = { subject: 'assets', where: [], show: 'count', groupBy: ['domain'], order: null, limit: 20 };
const decided = { note: 'Compared with the labels of October.' };

/**
 * A body for each operation that needs one, by its name. Each is accepted as it is. Ids are those of the made-up company
 * that a development service begins with; ids that a service makes itself are of the form that they have.
 */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  'actions-create': {
    kind: 'internal_task',
    targetAssetId: 'ast_01k8zq4n8w3v5x7y9z',
    justification: 'The file is open to everyone and holds account numbers.',
    taskTitle: 'Move the file into the finance site',
  },
  'actions-decide': { decision: 'approve', reason: 'The preview shows the intended label.' },
  'actions-decide-many': {
    decision: 'approve',
    reason: 'The previews show the intended label.',
    actions: [{ actionId: 'act_01k8zq4n8w3v5x7y9z', revision: 1 }],
  },
  'admin-change-schedule': {
    family: 'smb',
    revision: 0,
    timeZone: 'Europe/Berlin',
    inventory: { cron: '0 2 * * sun' },
    delta: { cron: '0 20 * * *' },
    quietHours: [{ days: ['monday', 'friday'], from: '08:00', to: '18:00' }],
    callsPerHour: 5_000,
  },
  'admin-register-principal': {
    displayName: 'Ada Brandt',
    department: 'Finance',
    invite: true,
    roles: ['domain_owner'],
  },
  'admin-select-scopes': { scopeIds: null, unselected: 'keep' },
  'admin-set-scan-rules': { rules: [{ pattern: 'node_modules' }, { pattern: '*.bak', family: 'smb' }] },
  'admin-set-roles': { roles: ['domain_owner', 'auditor'] },
  'admin-test-connector': { family: 'm365' },
  'analyst-answer-plan': { plan },
  'analyst-export-answer': { plan },
  'analyst-query': { question: 'How many unlabeled assets are in Finance?' },
  'analyst-save-plan': { name: 'Assets by domain', plan },
  'auth-dev-login': { principalId: 'pri_helena_brandt' },
  'controlplane-activate': { token: 'eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl' },
  'controlplane-activate-online': { code: 'ABCD-EFGH-JKLM' },
  'controlplane-change-telemetry': { optedOut: true },
  'dev-mutate-fixture': { action: 'add', scopeExternalId: 'site-people', name: 'New letter.docx' },
  'dev-simulate-notification': { scopeId: 'scp_01k8zq4n8w3v5x7y9z' },
  'findings-acknowledge': { note: 'The publication is intended.' },
  'findings-acknowledge-many': {
    note: 'The publication is intended.',
    findings: [{ findingId: 'fnd_01k8zq4n8w3v5x7y9z', revision: 1 }],
  },
  'findings-take-back': { revision: 1 },
  'governance-approve-domain': {},
  'governance-approve-information-type': {},
  'governance-approve-regulatory-mapping': {},
  'governance-assign-owner': { principalId: 'pri_amara_okafor', domainId: 'dom_finance', kind: 'steward' },
  'governance-change-assignment': { attestationDays: 90 },
  'governance-change-detector': { version: 1, enabled: true },
  'governance-change-domain': { description: 'Invoices, payments and the books.' },
  'governance-change-information-type': { sensitivity: 'confidential' },
  'governance-create-detector': {
    title: 'Customer number',
    pattern: 'QX-[0-9]{6}',
    context: ['customer'],
    examples: { hits: ['QX-123456'], misses: ['QX-12'] },
  },
  'governance-create-domain': { name: 'Facilities', description: 'Buildings and what is in them.' },
  'governance-create-information-type': {
    domainId: 'dom_finance',
    name: 'Dunning letters',
    definition: 'Reminders of invoices that are not paid.',
    sensitivity: 'confidential',
  },
  'governance-create-regulatory-mapping': {
    domainId: 'dom_finance',
    jurisdiction: 'DE',
    regulation: 'HGB § 257',
    rationale: 'Invoices are kept for the period of the law.',
  },
  'governance-create-suppression': {
    kind: 'value',
    detectorId: 'iban',
    reason: 'The account in the letterhead is public.',
    expiresAt: inAQuarter,
    dryRun: true,
    value: 'DE89370400440532013000',
  },
  'governance-reject-regulatory-mapping': {},
  'mcp-call': { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  'models-approve-release': decided,
  'models-create-dataset': { name: 'Autumn' },
  'models-decide-dataset-candidate': { decision: 'approved' },
  'models-promote-release': decided,
  'models-propose-release': {
    configPatch: { candidateThreshold: 0.35 },
    rationale: 'More questions are asked.',
  },
  'models-reject-release': decided,
  'models-rollback-release': decided,
  'models-withdraw-release': decided,
  'notifications-subscribe': { scopeId: 'scp_01k8zq4n8w3v5x7y9z' },
  'onboarding-change-settings': { dataHandlingProfile: 'minimized_evidence' },
  'onboarding-save-profile': { name: 'Contoso', industries: ['Insurance'], geographies: ['DE'] },
  'onboarding-upload-policy': {
    title: 'Retention',
    filename: 'retention.md',
    text: '# Retention\n\nInvoices are kept for ten years.',
  },
  'review-decide': { decision: 'mine', note: 'From the archive of 2024.' },
  'review-decide-many': {
    answer: { decision: 'mine' },
    questions: [{ candidateId: 'cnd_01k8zq4n8w3v5x7y9z', revision: 1 }],
  },
  'scans-estimate': {
    scopeId: 'scp_01k8zq4n8w3v5x7y9z',
    kind: 'inventory',
    only: { folders: ['contracts'], formats: ['pdf', 'docx'] },
  },
  'scans-start': { scopeId: 'scp_01k8zq4n8w3v5x7y9z', kind: 'inventory' },
  'sources-connect': { family: 'm365' },
  'sources-set-expectation': { domainId: 'dom_finance' },
  'tasks-set-status': { status: 'in_progress' },
  'webhooks-graph-lifecycle': {
    value: [{ subscriptionId: 'sub-1', clientState: 'state', lifecycleEvent: 'missed' }],
  },
  'webhooks-graph-notifications': {
    value: [{ subscriptionId: 'sub-1', clientState: 'state', changeType: 'updated' }],
  },
};

/** Values of parameters that an operation needs, without ids in paths. */
export const PARAMETER_EXAMPLES: Readonly<Record<string, string>> = {
  code: 'none',
  domainId: 'dom_finance',
  family: 'm365',
  format: 'csv',
  q: 'invoice',
  state: 'none',
};
