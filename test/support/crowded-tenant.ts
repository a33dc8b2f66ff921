import { expect } from 'vitest';
import { appendAudit } from '../../core/audit/append.sql.ts';
import { auditText } from '../../core/audit/event.ts';
import { type Statement, sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { PrincipalId } from '../../core/kernel/ids.ts';
import type { TestService } from './client.ts';
import type { TestDatabase } from './database.ts';
import { DEV, PERSONA } from './seed.ts';

/** The time of everything. */
const AT = new Date('2026-01-01T12:00:00Z');
const DOMAIN = 'dom_finance';

/** The `n`th id of a kind. The order of ids differs from the order of creation. */
const nth = (prefix: string) => sql`${prefix} || '_' || md5(${prefix}::text || n)`;

/** Rows `n` from 1 to `count`. */
const rows = (count: number) => sql`generate_series(1, ${count}::int) as n`;

/**
 * Creates more of everything than a list shows, with the same domain, time, severity, score and name, so that only
 * the last key of an order differs.
 */
export async function crowd(service: TestService, database: TestDatabase): Promise<void> {
  const [admin, owner, approver] = await Promise.all(
    [PERSONA.platformAdmin, PERSONA.financeOwner, PERSONA.approver].map((who) => service.signInAs(who)),
  );
  if (admin === undefined || owner === undefined || approver === undefined)
    throw new Error('nobody signed in');
  expect((await admin.post('/api/sources/connect', {})).status).toBe(200);
  for (const statement of PLACES) await database.inspect(statement);

  const scopeId = await only(
    database,
    sql`select scope_id as id from scopes where external_id = 'site-finance'`,
  );
  expect((await admin.post('/api/admin/notifications/subscribe', { scopeId })).status).toBe(200);
  const drafted = await owner.post<{ actionId: string }>('/api/actions', {
    kind: 'internal_task',
    targetAssetId: await only(
      database,
      sql`select asset_id as id from assets where tenant_id = ${DEV} limit 1`,
    ),
    justification: 'It is asked about every year',
    taskTitle: 'Ask',
  });
  const path = `/api/actions/${drafted.body.actionId}`;
  expect((await owner.post(`${path}/submit`)).status).toBe(200);
  expect((await approver.post(`${path}/approval`, { decision: 'approve' })).status).toBe(200);
  for (const statement of COPIES) await database.inspect(statement);
  // Autovacuum would do so within a minute.
  await database.inspect(sql`analyze`);

  await withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) =>
    appendAudit(
      tx,
      Array.from({ length: 210 }, () =>
        auditText(
          {
            tenantId: DEV,
            principalId: PERSONA.auditor as PrincipalId,
            correlationId: 'same',
            now: AT.getTime(),
          },
          { category: 'config', type: 'same', details: {} },
        ),
      ),
    ),
  );
}

async function only(database: TestDatabase, statement: Statement): Promise<string> {
  const [row] = await database.inspect<{ id: string }>(statement);
  if (row === undefined) throw new Error('the statement returned no row');
  return row.id;
}

const PLACES: readonly Statement[] = [
  sql`insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, expected_domain_id, created_at)
      select ${DEV}, ${nth('scp')}, c.connector_instance_id, 'm365', md5('x' || n), 'Site', 'site', ${DOMAIN}, ${AT}
        from connector_instances c, ${rows(205)} where c.tenant_id = ${DEV}`,
  sql`insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                          content_version, content_state, format, label_state, risk_severity, first_seen_at,
                          last_seen_at, changed_at)
      select ${DEV}, ${nth('ast')}, ${nth('scp')}, md5('y' || n), 'Same name.docx', 'Same/Same name.docx', 'file', 1, 'v', 'c',
             'available', 'docx', 'unlabeled', 'high', ${AT}, ${AT}, ${AT}
        from ${rows(205)}`,
  sql`insert into candidates (tenant_id, candidate_id, asset_id, scope_id, domain_id, information_type_id, confidence, band,
                              created_at, updated_at)
      select ${DEV}, ${nth('cnd')}, ${nth('ast')}, '', ${DOMAIN}, 'ift_invoices', 0.9, 'high', ${AT}, ${AT} from ${rows(205)}`,
  sql`insert into decisions (tenant_id, decision_id, candidate_id, asset_id, principal_id, decision, training_eligible, revision,
                             created_at)
      select ${DEV}, ${nth('dec')}, ${nth('cnd')}, ${nth('ast')}, ${PERSONA.financeOwner}, 'need_more_evidence', false, 1, ${AT}
        from ${rows(205)}`,
  sql`insert into dataset_candidates (tenant_id, dataset_candidate_id, decision_id, candidate_id, asset_id, information_type_id,
                                      domain_id, label, ensemble_version, status, curated_by, curated_at, created_at)
      select ${DEV}, ${nth('dsc')}, ${nth('dec')}, ${nth('cnd')}, ${nth('ast')}, 'ift_invoices', ${DOMAIN}, 'positive_example', 1,
             'approved', ${PERSONA.governanceAdmin}, ${AT}, ${AT} from ${rows(205)}`,
  sql`insert into dataset_snapshots (tenant_id, snapshot_id, name, description, consent_scope, eval_fraction, seed, digest,
                                     clusters, training_positives, training_counterexamples, held_out_positives,
                                     held_out_counterexamples, omitted, created_by, created_at)
      select ${DEV}, ${nth('dss')}, 'Same', '', 'tenant_internal', 0.2, md5('same'), md5('same') || md5('same'), 2, 1, 0, 1, 0, 0,
             ${PERSONA.governanceAdmin}, ${AT} from ${rows(105)}`,
  sql`insert into model_releases (tenant_id, release_id, config_patch, thresholds, compared_version, rationale, proposed_by,
                                  created_at, updated_at)
      select ${DEV}, ${nth('rel')}, '{}', to_jsonb(t), 1, 'Same', ${PERSONA.governanceAdmin}, ${AT}, ${AT}
        from (select candidate_threshold as "candidateThreshold", review_low_threshold as "reviewLowThreshold",
                     review_high_threshold as "reviewHighThreshold", near_dup_confirmed_boost as "nearDupConfirmedBoost",
                     exact_dup_confirmed_boost as "exactDupConfirmedBoost" from ensembles where tenant_id = ${DEV}) t,
             ${rows(60)}`,
  sql`insert into findings (tenant_id, finding_id, asset_id, kind, severity, status, notes, policy_version, opened_at, changed_at)
      select ${DEV}, ${nth('fnd')}, ${nth('ast')}, 'label', 'high', 'open', 'Same', '1', ${AT}, ${AT} from ${rows(205)}`,
  sql`insert into campaigns (tenant_id, campaign_id, scope_id, kind, status, correlation_id, created_at, finished_at)
      select ${DEV}, ${nth('cmp')}, ${nth('scp')}, 'inventory', 'completed', 'same', ${AT}, ${AT} from ${rows(60)}`,
  sql`insert into work_units (tenant_id, campaign_id, kind, logical_key, payload, status, run_after, created_at, settled_at)
      select ${DEV}, ${nth('cmp')}, 'inventory_page', 'page:0', '{}', 'dead', ${AT}, ${AT}, ${AT} from ${rows(60)}`,
  sql`insert into dead_letters (tenant_id, dead_letter_id, campaign_id, unit_id, retry_class, safe_diagnostic, attempt, created_at)
      select ${DEV}, ${nth('dlt')}, campaign_id, unit_id, 'permanent', 'scope_gone', 1, ${AT}
        from (select *, row_number() over () as n from work_units where tenant_id = ${DEV}) u`,
  sql`insert into sensitivity_labels (tenant_id, label_guid, name, rank, updated_at)
      select ${DEV}, md5('label' || n), 'Same', 1, ${AT} from ${rows(205)}`,
  sql`insert into principals (tenant_id, principal_id, display_name)
      select ${DEV}, ${nth('pri')}, 'Same name' from ${rows(505)}`,
  sql`insert into owner_assignments (tenant_id, assignment_id, principal_id, domain_id, created_at)
      select ${DEV}, ${nth('own')}, ${nth('pri')}, ${DOMAIN}, ${AT} from ${rows(505)}`,
  sql`insert into policy_documents (tenant_id, document_id, title, version, created_at, updated_at)
      select ${DEV}, ${nth('doc')}, 'Policy ' || n, 1, ${AT}, ${AT} from ${rows(205)}`,
  sql`insert into policy_document_versions (tenant_id, document_id, version, filename, content, sections, uploaded_by, created_at)
      select ${DEV}, ${nth('doc')}, 1, 'same.md', 'Same', '[]', ${PERSONA.governanceAdmin}, ${AT} from ${rows(205)}`,
  sql`insert into regulatory_mappings (tenant_id, mapping_id, domain_id, jurisdiction, regulation, rationale, origin, created_by,
                                       created_at, updated_at)
      select ${DEV}, ${nth('map')}, ${DOMAIN}, 'EU', 'Regulation ' || n, 'Same', 'manual', ${PERSONA.governanceAdmin}, ${AT}, ${AT}
        from ${rows(205)}`,
  sql`insert into suppressions (tenant_id, suppression_id, kind, detector_id, domain_id, fingerprint, reason, status,
                                needs_approval, proposed_by, proposed_at, expires_at, decided_by, decided_at)
      select ${DEV}, ${nth('sup')}, 'value', 'iban', ${DOMAIN}, '0123456789', 'Same', 'rejected', true,
             ${PERSONA.governanceAdmin}, ${AT}, ${AT}::timestamptz + interval '1 day', ${PERSONA.secondGovernanceAdmin}, ${AT}
        from ${rows(205)}`,
  // Each channel and each mailbox has one message, with one finding. To read a preview would be an event.
  ...(['chat', 'mail'] as const).flatMap((family) => [
    sql`insert into message_containers (tenant_id, container_id, family, mode, external_id, entry, name, kind, due_at, created_at)
        select ${DEV}, ${nth(`mct_${family}`)}, ${family}, 'mock', md5('m' || n), 'same', 'Same',
               ${family === 'chat' ? 'standard' : 'mailbox'}, ${AT}, ${AT} from ${rows(205)}`,
    sql`insert into messages (tenant_id, message_id, container_id, external_id, feed, walk, source_version, content_version,
                              sent_at, has_outsiders, content_state, preview, signals, stored_at)
        select ${DEV}, ${nth(`msg_${family}`)}, ${nth(`mct_${family}`)}, 'same', '', 1, 'v', 'v', ${AT}, true, 'available',
               null, '[{"detectorId": "iban", "count": 1, "confidence": 1}]', ${AT} from ${rows(205)}`,
    sql`insert into message_findings (tenant_id, finding_id, container_id, message_id, kind, level, severity, opened_at)
        select ${DEV}, ${nth(`mfd_${family}`)}, ${nth(`mct_${family}`)}, ${nth(`msg_${family}`)}, 'identifiers', 2, 'medium', ${AT}
          from ${rows(205)}`,
  ]),
  sql`insert into ai_usage (tenant_id, day, task, model, calls, estimated_calls, unpriced_calls, input_tokens,
                            output_tokens, cost)
      select ${DEV}, ${AT}, 'embedding', 'Model ' || n, 1, 0, 0, 1, 0, 1 from ${rows(505)}`,
];

/** Copies of what the service created, each with its own ids. */
const COPIES: readonly Statement[] = [
  sql`insert into change_subscriptions (tenant_id, subscription_id, scope_id, mode, status, external_id, expires_at, created_at)
      select ${DEV}, ${nth('sub')}, s.scope_id, o.mode, o.status, md5('z' || n), o.expires_at, ${AT}
        from change_subscriptions o,
             (select scope_id, row_number() over () as n from scopes where tenant_id = ${DEV}
                 and scope_id not in (select scope_id from change_subscriptions where tenant_id = ${DEV})) s
       where o.tenant_id = ${DEV}`,
  sql`insert into change_notifications (tenant_id, notification_id, subscription_id, change_type, outcome, source, received_at)
      select ${DEV}, ${nth('ntf')}, o.subscription_id, 'updated', 'deduplicated', 'live', date_trunc('hour', now())
        from (select subscription_id from change_subscriptions where tenant_id = ${DEV} limit 1) o, ${rows(110)}`,
  sql`insert into actions (tenant_id, action_id, kind, target_asset_id, justification, task_title, status, preview,
                           requested_by, decided_by, verification, created_at, updated_at)
      select ${DEV}, ${nth('act')}, kind, target_asset_id, justification, task_title, status, preview, requested_by, decided_by,
             verification, ${AT}, ${AT} from actions, ${rows(110)} where tenant_id = ${DEV}`,
  sql`insert into action_domains (tenant_id, action_id, domain_id)
      select ${DEV}, ${nth('act')}, ${DOMAIN} from ${rows(110)}`,
  sql`insert into tasks (tenant_id, task_id, action_id, status, created_at, updated_at)
      select ${DEV}, ${nth('tsk')}, ${nth('act')}, 'open', ${AT}, ${AT} from ${rows(110)}`,
];
