import { createPool } from '../../core/db/pool.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import { DETECTORS } from '../../core/detectors/index.ts';
import type { DomainId, TenantId } from '../../core/kernel/ids.ts';
import { listQueue } from '../../core/review/queue-list.sql.ts';
import type { Scanned } from './first-scan.ts';
import { scanFailures } from './scan-failures.ts';
import { printable, renderTable } from './table.ts';
import { unreadFiles } from './unread-files.ts';

/** Where it is, and whether people sign in through the local identity provider. */
type Service = { url: string; idp: boolean };

/**
 * The results of the scans as tables for a terminal: assets by state, identifiers, information types, findings,
 * questions per owner. Then unread files, failures and skipped entries, and what to do next.
 */
export async function summarize(
  databaseUrl: string,
  tenantId: TenantId,
  service: Service,
  { scopeIds, campaignIds }: Scanned,
  passedOver: readonly string[],
): Promise<string> {
  const db = createPool(databaseUrl, { max: 1, applicationName: 'summary' });
  try {
    return await withTx(db, { tenantId, mode: 'read' }, async (tx) => {
      const owners = await questionsPerOwner(tx);
      const unread = await unreadFiles(tx, scopeIds);
      const failures = await scanFailures(tx, campaignIds);
      return [
        renderTable(['Assets by content state', 'Count'], await assetsByState(tx, scopeIds)),
        renderTable(['Identifier found, likely', 'Assets', 'Hits'], await identifiers(tx, scopeIds)),
        renderTable(['Information type found', 'Domain', 'Candidates'], await informationTypes(tx, scopeIds)),
        renderTable(['Open findings', 'Severity', 'Count'], await findings(tx, scopeIds)),
        renderTable(
          ['Owner', 'Owns', 'Questions', 'Persona'],
          owners.map((owner) => [owner.name, owner.domains, owner.questions, owner.principalId]),
        ),
        ...(unread === '' ? [] : [unread]),
        ...(failures.length > 0 ? [`${failures.join('\n')}\nThe next scan tries again.\n`] : []),
        ...(passedOver.length > 0 ? [`${passedOver.join('\n')}\n`] : []),
        nextStep(service, owners[0], await firstQuestion(tx, owners[0]?.domainIds ?? [])),
      ].join('\n');
    });
  } finally {
    await db.close();
  }
}

/** Active assets of these scopes. */
const shown = (tx: Tx, scopeIds: readonly string[]) =>
  sql`a.tenant_id = ${tx.tenantId} and a.scope_id = any(${scopeIds}::text[]) and a.status = 'active'`;

const assetsByState = async (tx: Tx, scopeIds: readonly string[]) =>
  (
    await tx.query<{ state: string; count: number }>(sql`
      select content_state as state, count(*)::int as count from assets a
       where ${shown(tx, scopeIds)} group by 1 order by 2 desc, 1`)
  ).map((row) => [row.state, row.count]);

/** Signals below this confidence only match by format, or are names, which nearly every text contains. */
const LIKELY = 0.5;

const titles = new Map(DETECTORS.map(({ id, title }) => [id, title]));

const identifiers = async (tx: Tx, scopeIds: readonly string[]) =>
  (
    await tx.query<{ id: string; assets: number; hits: number }>(sql`
      select s ->> 'detectorId' as id, count(*)::int as assets, sum((s ->> 'count')::int)::int as hits
        from asset_features f join assets a using (tenant_id, asset_id)
       cross join lateral jsonb_array_elements(f.features -> 'signals') as s
       where ${shown(tx, scopeIds)} and (s ->> 'confidence')::float >= ${LIKELY}
       group by 1 order by 2 desc, 3 desc, 1`)
  ).map((row) => [titles.get(row.id) ?? row.id, row.assets, row.hits]);

const informationTypes = async (tx: Tx, scopeIds: readonly string[]) =>
  (
    await tx.query<{ type: string; domain: string; count: number }>(sql`
      select t.name as type, d.name as domain, count(*)::int as count
        from candidates c
        join assets a using (tenant_id, asset_id)
        join information_types t using (tenant_id, information_type_id)
        join domains d on d.tenant_id = c.tenant_id and d.domain_id = c.domain_id
       where ${shown(tx, scopeIds)} and c.status in ('pending', 'deferred', 'confirmed')
       group by 1, 2 order by 3 desc, 1, 2 limit 30`)
  ).map((row) => [row.type, row.domain, row.count]);

const findings = async (tx: Tx, scopeIds: readonly string[]) =>
  (
    await tx.query<{ kind: string; severity: string; count: number }>(sql`
      select f.kind, f.severity, count(*)::int as count from findings f join assets a using (tenant_id, asset_id)
       where ${shown(tx, scopeIds)} and f.status <> 'resolved'
       group by f.severity_rank, 1, 2 order by f.severity_rank desc, 3 desc, 1`)
  ).map((row) => [row.kind.replaceAll('_', ' '), row.severity, row.count]);

type OwnerRow = {
  name: string;
  principalId: string;
  domainIds: DomainId[];
  domains: string;
  questions: number;
};

/** The queues of the owners, over all scopes. A question is about one asset and one domain, whatever its types. */
const questionsPerOwner = (tx: Tx) =>
  tx.query<OwnerRow>(sql`
    select p.display_name as name, p.principal_id as "principalId", array_agg(distinct d.domain_id) as "domainIds",
           string_agg(distinct d.name, ', ') as domains, count(distinct (c.asset_id, c.domain_id))
             filter (where c.asset_id is not null)::int as questions
      from owner_assignments o
      join principals p using (tenant_id, principal_id)
      join domains d using (tenant_id, domain_id)
      left join candidates c
        on c.tenant_id = o.tenant_id and c.domain_id = o.domain_id and c.status = 'pending' and c.asset_active
     where o.tenant_id = ${tx.tenantId} and o.ended_at is null
     group by 1, 2 order by 5 desc, 1`);

type Question = { candidateId: string; type: string; asset: string };

/** The first question in the queue of these domains, or null. */
async function firstQuestion(tx: Tx, domainIds: readonly DomainId[]): Promise<Question | null> {
  const [first] = await listQueue(tx, { kind: 'domains', domainIds }, {}, 1);
  if (first === undefined) return null;
  const { candidateId, informationTypeName, assetName } = first;
  return { candidateId, type: informationTypeName ?? 'something of this domain', asset: assetName };
}

/** What to do next: open the console as the owner with the most questions, or do the same with commands. */
function nextStep({ url, idp }: Service, owner: OwnerRow | undefined, question: Question | null): string {
  const reference = `Every endpoint, to try in the browser: ${url}/api/docs\n`;
  if (idp) return `${providerAccounts(url, owner)}\n${reference}`;
  if (owner === undefined) return `${consoleAt(url)}\n${reference}`;
  const signIn = `${consoleAt(url)}
Sign in as ${owner.name}, who is asked ${owner.questions} questions. Or with commands:

  csrf=$(curl -s -c jar -H 'content-type: application/json' -d '{"principalId":"${owner.principalId}"}' \\
    ${url}/api/auth/dev/login | sed 's/.*"csrfToken":"\\([^"]*\\).*/\\1/')
  curl -s -b jar ${url}/api/review/queue
`;
  if (question === null) return `No question waits for an owner.\n\n${signIn}\n${reference}`;
  return `${signIn}
Is this yours? It looks like "${question.type}": ${printable(question.asset)}

  curl -s -b jar -H "x-svc-csrf: $csrf" -H 'content-type: application/json' -d '{"decision":"mine"}' \\
    ${url}/api/review/candidates/${question.candidateId}/decision

${reference}`;
}

const consoleAt = (url: string) => `The console, to open in a browser:

  ${url}
`;

/** Whom to sign in as at the provider: people of different rights, and two who are refused. */
function providerAccounts(url: string, owner: OwnerRow | undefined): string {
  const accounts = [
    ...(owner === undefined ? [] : [[owner.name, 'owns domains, and is asked questions']]),
    ['Priya Nair', 'runs the service'],
    ['Marcus Bell', 'audits: GET /api/audit'],
    ['Noor Haddad', 'is known and has no role: refused'],
    ['Newcomer', 'is known to nobody: refused'],
  ];
  const width = Math.max(...accounts.map(([name = '']) => name.length));
  return `Sign in through the identity provider. Open this in a browser, then choose an account:

  ${url}

${accounts.map(([name = '', what]) => `  ${name.padEnd(width)}  ${what}`).join('\n')}
`;
}
