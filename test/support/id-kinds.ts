import { type Statement, sql } from '../../core/db/sql.ts';
import type { Endpoint } from '../../core/http/declaration.ts';

/** Where the ids of a kind are stored. */
type Kept = {
  table: string;
  column: string;
  /** A query for the domains of the ids of a tenant: `id`, `domain_id`. Absent if they belong to no domain. */
  domains?: (tenantId: string) => Statement;
  /** Whether the source assigned them. Two tenants can then have the same ids. */
  natural?: true;
};

const tying = sql`status in ('pending', 'deferred', 'confirmed')`;
const ofAssets = (tenantId: string) =>
  sql`select asset_id as id, domain_id from candidates where tenant_id = ${tenantId} and ${tying}`;
const ofScopes = (tenantId: string) => sql`
  select scope_id as id, expected_domain_id as domain_id from scopes
   where tenant_id = ${tenantId} and expected_domain_id is not null
  union select scope_id, domain_id from candidates where tenant_id = ${tenantId} and ${tying}`;
/** For a table with a column of the domain. */
const own = (table: string, column: string) => ({
  table,
  column,
  domains: (tenantId: string) =>
    sql`select ${sql.ident(column)} as id, domain_id from ${sql.ident(table)} where tenant_id = ${tenantId}`,
});

/** Every kind of id that a request can contain. */
const ID_KINDS = {
  action: own('action_domains', 'action_id'),
  analystPlan: {
    table: 'analyst_plans',
    column: 'plan_id',
    domains: (tenantId) => sql`
      select plan_id as id, domain_id from analyst_plan_domains where tenant_id = ${tenantId}`,
  },
  asset: { table: 'assets', column: 'asset_id', domains: ofAssets },
  assignment: own('owner_assignments', 'assignment_id'),
  campaign: {
    table: 'campaigns',
    column: 'campaign_id',
    domains: (tenantId) => sql`
      select c.campaign_id as id, s.domain_id from campaigns c join (${ofScopes(tenantId)}) s on s.id = c.scope_id
       where c.tenant_id = ${tenantId}`,
  },
  candidate: own('candidates', 'candidate_id'),
  // People who curate see the whole tenant.
  datasetCandidate: { table: 'dataset_candidates', column: 'dataset_candidate_id' },
  deadLetter: { table: 'dead_letters', column: 'dead_letter_id' },
  detector: { table: 'custom_detectors', column: 'detector_id' },
  directoryPerson: { table: 'principals', column: 'directory_id' },
  document: { table: 'policy_documents', column: 'document_id' },
  domain: own('domains', 'domain_id'),
  finding: {
    table: 'findings',
    column: 'finding_id',
    domains: (tenantId) => sql`
      select f.finding_id as id, k.domain_id from findings f join (${ofAssets(tenantId)}) k on k.id = f.asset_id
       where f.tenant_id = ${tenantId}`,
  },
  fixtureItem: { table: 'fixture_items', column: 'external_id', natural: true },
  fixtureScope: { table: 'fixture_scopes', column: 'external_id', natural: true },
  informationType: own('information_types', 'information_type_id'),
  release: { table: 'model_releases', column: 'release_id' },
  snapshot: { table: 'dataset_snapshots', column: 'snapshot_id' },
  message: { table: 'messages', column: 'message_id' },
  messageContainer: { table: 'message_containers', column: 'container_id' },
  label: { table: 'sensitivity_labels', column: 'label_guid', natural: true },
  mapping: own('regulatory_mappings', 'mapping_id'),
  suppression: own('suppressions', 'suppression_id'),
  task: {
    table: 'tasks',
    column: 'task_id',
    domains: (tenantId) => sql`
      select t.task_id as id, d.domain_id from tasks t join action_domains d using (tenant_id, action_id)
       where t.tenant_id = ${tenantId}`,
  },
  principal: { table: 'principals', column: 'principal_id' },
  session: { table: 'sessions', column: 'session_id' },
  scope: { table: 'scopes', column: 'scope_id', domains: ofScopes },
} satisfies Record<string, Kept>;

export type IdKind = keyof typeof ID_KINDS;

export const keptAt = (kind: IdKind): Kept => ID_KINDS[kind];

/** The kind of id in a member of a query or body. */
const KIND_OF_MEMBER: Readonly<Record<string, IdKind>> = {
  actionId: 'action',
  assetId: 'asset',
  candidateId: 'candidate',
  containerId: 'messageContainer',
  targetAssetId: 'asset',
  targetId: 'asset',
  exampleAssetId: 'asset',
  detectorId: 'detector',
  domainId: 'domain',
  routedDomainId: 'domain',
  informationTypeId: 'informationType',
  correctedInformationTypeId: 'informationType',
  findingId: 'finding',
  directoryId: 'directoryPerson',
  principalId: 'principal',
  scopeId: 'scope',
  scopeIds: 'scope',
  ownerId: 'principal',
  scopeExternalId: 'fixtureScope',
  fileId: 'fixtureItem',
  documentId: 'document',
  datasetSnapshotId: 'snapshot',
  labelGuid: 'label',
  desiredLabelGuid: 'label',
};

/** The kind of `{id}` after this part of a path. Null if it belongs to no tenant. */
const KIND_OF_COLLECTION: Readonly<Record<string, IdKind | null>> = {
  actions: 'action',
  assets: 'asset',
  candidates: 'candidate',
  'dataset-candidates': 'datasetCandidate',
  'dead-letters': 'deadLetter',
  detectors: 'detector',
  domains: 'domain',
  'governed-releases': 'release',
  releases: 'release',
  findings: 'finding',
  // All tenants share one fleet.
  fleet: null,
  // The directory has them, and nobody else.
  groups: null,
  'information-types': 'informationType',
  messages: 'message',
  owners: 'assignment',
  plans: 'analystPlan',
  'policy-documents': 'document',
  principals: 'principal',
  'regulatory-mappings': 'mapping',
  suppressions: 'suppression',
  scans: 'campaign',
  sessions: 'session',
  sources: 'scope',
  tasks: 'task',
};

/** Path parameters that are not ids, with a value of each. */
export const PLAIN_PARAMETERS: Readonly<Record<string, string>> = { file: 'none', family: 'm365' };

/** Members that the caller numbers their own messages with. */
const CHOSEN_BY_CALLER = ['mcp-call id'];

const LOOKS_LIKE_AN_ID = /^(?:id|.*(?:Id|Ids|Guid|Guids))$/;

/** The kind of a member of a query or body, or null if it is not an id. Throws if an id is not classified here. */
export function kindOfMember(endpoint: Endpoint, name: string): IdKind | null {
  const kind = KIND_OF_MEMBER[name];
  if (kind !== undefined) return kind;
  if (name === 'ids') return KIND_OF_COLLECTION[endpoint.path.split('/')[2] ?? ''] ?? null;
  if (!LOOKS_LIKE_AN_ID.test(name) || CHOSEN_BY_CALLER.includes(`${endpoint.name} ${name}`)) return null;
  throw new Error(`${endpoint.name}: "${name}" is not classified. Add it to id-kinds.ts`);
}

/** The kind of each path parameter, or null if it is not a tenant's id. Throws if one is not classified here. */
export function kindsOfPath(endpoint: Endpoint): Record<string, IdKind | null> {
  const parts = endpoint.path.split('/');
  const kinds: Record<string, IdKind | null> = {};
  for (const [index, part] of parts.entries()) {
    const name = /^\{\*?(.+)\}$/.exec(part)?.[1];
    if (name === undefined) continue;
    const collection = parts[index - 1] ?? '';
    const kind =
      name === 'id'
        ? KIND_OF_COLLECTION[collection]
        : Object.hasOwn(PLAIN_PARAMETERS, name)
          ? null
          : undefined;
    if (kind === undefined) {
      throw new Error(
        `${endpoint.name}: {${name}} after "${collection}" is not classified. Add it to id-kinds.ts`,
      );
    }
    kinds[name] = kind;
  }
  return kinds;
}
