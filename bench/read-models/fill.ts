import type { Client } from 'pg';
import { setLogSize, withoutIndexes } from '../support/bulk-fill.ts';
import { DOMAINS, SCOPES, TENANT_ID, TYPES_PER_DOMAIN } from './tenant.ts';

/** A step of the fill: its name, and its statements. `$1` is the tenant and `$2` the number of assets. */
type Part = { name: string; text: string };

/** A reproducible number in [0, 1) for `n` and `k`. */
const random = (n: string, k: number) => `((hashint8extended(${n}, ${k}) & 2147483647) / 2147483648.0)`;
const pick = (n: string, k: number, words: readonly string[]) =>
  `(array[${words.map((word) => `'${word}'`).join(',')}])[1 + floor(${random(n, k)} * ${words.length})::int]`;
/** Ids with twenty digits, so that they are written in order and the indexes of constraints grow at the end. */
const id = (prefix: string, n: string) => `'${prefix}_large' || lpad((${n})::text, 20, '0')`;
const assetId = (n: string) => id('ast', n);

const NAMES = [
  'Invoice',
  'Contract',
  'Report',
  'Minutes',
  'Offer',
  'Plan',
  'Review',
  'Claim',
  'Statement',
  'Budget',
  'Policy',
  'Manual',
];
const SUBJECTS = [
  'northern',
  'annual',
  'supplier',
  'customer',
  'quarterly',
  'internal',
  'final',
  'draft',
  'signed',
  'archived',
];
const FOLDERS = ['Finance', 'People', 'Legal', 'Projects', 'Archive', 'Shared', 'Exports', 'Templates'];
const FORMATS = ['docx', 'xlsx', 'pdf', 'pptx', 'txt', 'eml'];

/**
 * The placements: six in ten assets belong to one domain, three in ten of these also with a second type, and one in
 * ten also to another domain. The square makes a few domains far larger than the others.
 */
const TIES = `
  create unlogged table bench_places as
  select n, floor(${DOMAINS} * power(${random('n', 12)}, 2))::int as d from generate_series(0::bigint, $2::bigint - 1) as n;
  create unlogged table bench_ties as
  select n, k, d, t, c, 0.4 + 0.6 * ${random('c', 20)} as confidence,
         (array['pending', 'pending', 'pending', 'pending', 'pending', 'pending', 'pending', 'deferred', 'confirmed', 'confirmed',
                'confirmed', 'rejected'])[1 + floor(12 * ${random('c', 21)})::int] as status
    from (select n, k, n * 3 + k as c, case k when 2 then (d + 7) % ${DOMAINS} else d end as d,
                 (floor(${TYPES_PER_DOMAIN} * ${random('n', 11)})::int + (k = 1)::int) % ${TYPES_PER_DOMAIN} as t
            from bench_places cross join generate_series(0, 2) as k
           where ${random('n', 10)} < 0.6
             and (k = 0 or (k = 1 and ${random('n', 13)} < 0.3) or (k = 2 and ${random('n', 14)} < 0.1))) x;
  analyze bench_places, bench_ties`;

/** The scope of asset `n` in domain `d`: four in five are in three scopes of the domain, the others in three more. */
const SCOPE = `'scp_large_' || (7 * d + case when ${random('n', 15)} < 0.8 then 0 else 3 end + floor(3 * ${random('n', 1)})::int) % ${SCOPES}`;

/**
 * The age of an asset's last write: in the order of the first scan, and newer for the one in five that have changed
 * since.
 */
const AGE = `(1 - n / $2::float8) * case when ${random('n', 16)} < 0.2 then ${random('n', 17)} else 1 end * interval '400 days'`;

/** Copies, labels and risks. The rows are stored in the order of writing. */
const ASSETS = `
  insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, mime_type, source_url,
                      source_version, content_version, source_modified_at, content_state, format, content_hash, label_state,
                      label_guid, label_name, label_observed_at, grants, permissions_complete, permissions_observed_at,
                      first_seen_at, last_seen_at, changed_at, risk_severity, decided, stage_keys)
  select $1, ${assetId('n')}, scope_id, ${id('ext', 'n')},
         name, folder || '/' || (n % 500) || '/' || name, 'file', 1000 + n % 1000000, 'application/octet-stream',
         'https://example.test/' || n, '1', '1', at, 'available', format,
         sha256(convert_to(case when ${random('n', 2)} < 0.05 then 'copy' || n % ($2 / 800 + 1) else 'own' || n end, 'UTF8')),
         label, case when label = 'labeled' then 'guid-' || n % 4 end, case when label = 'labeled' then 'Label ' || n % 4 end, at,
         '[{"principal":"Everyone","principalKind":"organization","external":false,"role":"read","inherited":true}]', true, at,
         at, now(), at,
         (array[null, null, null, 'low', 'low', 'medium', 'medium', 'high', 'high', 'critical'])[1 + floor(10 * ${random('n', 3)})::int],
         decided, '{"observe":"1"}'
    from (
      select n, ${SCOPE} as scope_id, ${pick('n', 4, FORMATS)} as format, ${pick('n', 5, FOLDERS)} as folder,
             ${pick('n', 6, SUBJECTS)} || ' ' || ${pick('n', 7, NAMES)} || ' ' || n || '.' || ${pick('n', 4, FORMATS)} as name,
             (array['unlabeled', 'unlabeled', 'unlabeled', 'unlabeled', 'unlabeled', 'unlabeled', 'labeled', 'labeled', 'labeled', 'unknown'])
               [1 + floor(10 * ${random('n', 8)})::int] as label,
             date_trunc('milliseconds', now() - ${AGE}) as at,
             exists (select from bench_ties k where k.n = bench_places.n and k.status in ('confirmed', 'rejected')) as decided
        from bench_places
    ) a order by at`;

const INFERENCES = `
  insert into inferences (tenant_id, inference_id, asset_id, information_type_id, domain_id, confidence, contributions,
                          ensemble_version, inference_key, created_at)
  select $1, ${id('inf', 'c')}, ${assetId('n')}, 'ift_' || d || '_' || t, 'dom_' || d, confidence,
         '[{"name":"lexical","score":0.3,"evidence":{"terms":3}},{"name":"location","score":0.2,"evidence":{}}]', 1, 'key', now()
    from bench_ties`;

const CANDIDATES = `
  insert into candidates (tenant_id, candidate_id, asset_id, scope_id, domain_id, information_type_id, inference_id, confidence,
                          band, status, decision_id, revision, created_at, updated_at, risk_severity, related_count)
  select $1, ${id('cnd', 'c')}, a.asset_id, a.scope_id, 'dom_' || d, 'ift_' || d || '_' || t, ${id('inf', 'c')}, k.confidence,
         case when k.confidence > 0.8 then 'high' else 'review' end, k.status,
         case when k.status <> 'pending' then ${id('dec', 'c')} end, (k.status <> 'pending')::int,
         a.changed_at, a.changed_at, a.risk_severity, floor(20 * power(${random('c', 22)}, 4))::int
    from bench_ties k join assets a on a.tenant_id = $1 and a.asset_id = ${assetId('k.n')}`;

/** The decision of an owner for each candidate that is no longer open. */
const DECISIONS = `
  insert into decisions (tenant_id, decision_id, candidate_id, asset_id, inference_id, principal_id, decision, training_eligible,
                         revision, created_at)
  select $1, ${id('dec', 'c')}, ${id('cnd', 'c')}, ${assetId('n')}, ${id('inf', 'c')}, 'pri_large_owner_' || d,
         case status when 'confirmed' then 'mine' when 'rejected' then 'not_a_match' else 'need_more_evidence' end, true, 1, now()
    from bench_ties where status <> 'pending'`;

const ASSERTIONS = `
  insert into assertions (tenant_id, assertion_id, asset_id, kind, statement, domain_id, information_type_id, inference_id,
                          decision_id, answers_assertion_id, created_at)
  select $1, ${id('asr', '2 * c + h')}, ${assetId('n')}, case h when 0 then 'inferred' else 'human' end,
         case when h = 0 or status = 'confirmed' then 'belongs_to' when status = 'rejected' then 'does_not_belong_to'
              else 'needs_more_evidence' end,
         'dom_' || d, 'ift_' || d || '_' || t, case h when 0 then ${id('inf', 'c')} end, case h when 1 then ${id('dec', 'c')} end,
         case h when 1 then ${id('asr', '2 * c')} end, now()
    from bench_ties cross join generate_series(0, 1) as h where h = 0 or status <> 'pending'`;

const VERSIONS_AND_FEATURES = `
  insert into asset_versions (tenant_id, asset_id, version, source_version, content_version, name, path, size_bytes, content_state,
                              observed_at)
  select $1, asset_id, 1, '1', '1', name, path, size_bytes, 'available', changed_at
    from assets where tenant_id = $1;
  insert into asset_features (tenant_id, asset_id, features_key, features, signal_kinds, excerpts, computed_at)
  select $1, ${assetId('n')}, 'key', '{"signals":[{"detectorId":"iban","detectorVersion":1,"family":"bank","count":2,"confidence":0.95,"tiers":{"checksum_and_context":2},"positions":[[0,22],[30,52]]}]}', '{iban}',
         '[{"detectorId":"iban","text":"IBAN DE** **** 3000"}]', now()
    from bench_ties where k = 0`;

const RISKS = `
  insert into asset_risks (tenant_id, asset_id, components, policy_version, computed_at)
  select $1, asset_id, jsonb_build_array(jsonb_build_object('name', 'exposure', 'severity', risk_severity, 'notes', 'To all.')), '1', now()
    from assets where tenant_id = $1 and risk_severity is not null;
  insert into findings (tenant_id, finding_id, asset_id, kind, severity, status, notes, policy_version, opened_at, changed_at,
                        resolved_at, acknowledged_by, acknowledged_at)
  select $1, 'fnd_' || asset_id, asset_id, kind, case when risk_severity = 'low' then 'medium' else coalesce(risk_severity, 'medium') end,
         status, 'To all.', '1', at, at, case when status = 'resolved' then at end,
         case when status = 'acknowledged' then 'pri_large_owner_0' end, case when status = 'acknowledged' then at end
    from (
      select a.*, (array['exposure', 'label', 'location', 'unmanaged_copy', 'stale_access'])[1 + floor(5 * ${random('n', 31)})::int] as kind,
             (array['open', 'open', 'open', 'open', 'open', 'open', 'open', 'reopened', 'acknowledged', 'resolved'])
               [1 + floor(10 * ${random('n', 32)})::int] as status,
             date_trunc('milliseconds', now() - ${random('n', 33)} * interval '200 days') as at
        from (select asset_id, risk_severity, substr(asset_id, 10)::bigint as n from assets where tenant_id = $1) a
       where ${random('n', 30)} < 0.1) f`;

/** One in fifty assets is made from a template, about twenty from each. */
const SKETCHES = `
  insert into asset_sketches (tenant_id, asset_id, shingles, template, bands)
  select $1, ${assetId('n')}, decode(repeat(md5('own' || n), 128), 'hex'), decode(repeat(md5('template' || g), 128), 'hex'),
         array(select hashint8extended(g, i)::bit(32)::int from generate_series(100, 115) i)
    from (select n, floor($2 / 1000 * ${random('n', 41)})::bigint as g from bench_ties where k = 0 and ${random('n', 40)} < 0.033) s;
  insert into sketch_bands (tenant_id, band, asset_id, decided)
  select distinct $1, band, s.asset_id, a.decided
    from asset_sketches s join assets a using (tenant_id, asset_id) cross join unnest(s.bands) as band
   where s.tenant_id = $1`;

const ACTIONS = `
  insert into actions (tenant_id, action_id, kind, target_asset_id, finding_id, justification, task_title, status, preview,
                       requested_by, created_at, updated_at)
  select $1, 'act_' || c, 'internal_task', ${assetId('n')}, null, 'It should be looked at.', 'Look at it', status,
         '{"readAt":"2026-01-01T00:00:00.000Z","readFrom":"service","currentState":{"kind":"task","exists":false},"desiredState":{"kind":"task","exists":true},"changes":true}',
         'pri_large_owner_' || d, at, at
    from (select n, c, d, (array['draft', 'awaiting_approval'])[1 + (c % 2)::int] as status,
                 date_trunc('milliseconds', now() - ${random('c', 51)} * interval '100 days') as at
            from bench_ties where k = 0 order by n limit 2000) a;
  insert into action_domains (tenant_id, action_id, domain_id)
  select $1, 'act_' || c, 'dom_' || d from (select c, d from bench_ties where k = 0 order by n limit 2000) a;
  insert into action_transitions (tenant_id, action_id, revision, from_status, trigger, to_status, principal_id, created_at)
  select $1, action_id, 0, null, 'drafted', 'draft', requested_by, created_at from actions where tenant_id = $1`;

const SCOPES_TEXT = `
  insert into connector_instances (tenant_id, connector_instance_id, family, mode, created_at)
  values ($1, 'con_large', 'm365', 'mock', now());
  insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, coverage_state, delta_cursor,
                      delta_cursor_status, delta_cursor_at, expected_domain_id, asset_count, created_at)
  select $1, 'scp_large_' || s, 'con_large', 'm365', 'site-' || s, 'Site ' || s, 'site', 'baseline', 'cursor', 'valid', now(),
         case when s % 2 = 0 then 'dom_' || s end, $2::bigint / ${SCOPES}, now()
    from generate_series(0, ${SCOPES - 1}) as s`;

const PARTS: readonly Part[] = [
  { name: 'scopes', text: SCOPES_TEXT },
  { name: 'ties', text: TIES },
  { name: 'assets', text: ASSETS },
  { name: 'inferences', text: INFERENCES },
  { name: 'candidates', text: CANDIDATES },
  { name: 'decisions', text: DECISIONS },
  { name: 'assertions', text: ASSERTIONS },
  { name: 'versions and features', text: VERSIONS_AND_FEATURES },
  { name: 'risks and findings', text: RISKS },
  { name: 'sketches', text: SKETCHES },
  { name: 'actions', text: ACTIONS },
  { name: 'statistics', text: 'drop table bench_ties, bench_places; analyze' },
  { name: 'placements', text: 'select rebuild_placements($1)' },
  { name: 'words', text: 'select rebuild_search($1)' },
];

/** The tables whose indexes, other than those of constraints, are created last. */
const INDEXED = [
  'assets',
  'inferences',
  'candidates',
  'decisions',
  'assertions',
  'findings',
  'sketch_bands',
  'asset_placements',
  'asset_features',
  'asset_search',
  'landscape_cells',
];

/**
 * Fills the tenant with SQL, in the state after a scan and the work of its owners. The triggers of projections are
 * disabled meanwhile. Afterwards the product's rebuild functions create the projections, and the indexes other than
 * those of constraints are created last.
 * @param client the superuser
 */
export async function fill(client: Client, assets: number, log: (line: string) => void): Promise<void> {
  const timed = async (name: string, text: string) => {
    const started = performance.now();
    await client.query(text.replaceAll('$1', `'${TENANT_ID}'`).replaceAll('$2', String(assets)));
    log(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  };
  await client.query(
    `set synchronous_commit = off; set work_mem = '256MB'; set maintenance_work_mem = '1GB'; set jit = off;
     set session_replication_role = replica`,
  );
  await setLogSize(client, '16GB');
  const indexes = await withoutIndexes(client, INDEXED);
  for (const { name, text } of PARTS) await timed(name, text);
  await timed('indexes', indexes.join(';'));
  await timed('vacuum', 'vacuum (analyze)');
  await setLogSize(client, 'default');
  await client.query('checkpoint');
}
