import type { ActionParts } from '../../core/actions/action-parts.ts';
import type { ActionDetail, ActionRequest } from '../../core/actions/action-schema.ts';
import { decideAction } from '../../core/actions/decide-action.ts';
import {
  draftAction,
  previewAgain,
  previewDraft,
  type Requester,
  repreviewAction,
  submitAction,
} from '../../core/actions/draft.ts';
import type { Principal } from '../../core/authz/principal.ts';
import { loadConfig } from '../../core/config/config.ts';
import type { LabelWriter } from '../../core/connectors/label-writer.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import { storeLabels } from '../../core/governance/labels.sql.ts';
import type { DomainId, PrincipalId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { applyFixtureAction, type FixtureRequest } from '../../infra/local/fixture/fixture-action.ts';
import { fixtureCompany } from '../../infra/local/fixture/fixture-company.ts';
import { createFixtureConnector } from '../../infra/local/fixture/fixture-connector.ts';
import { createFixtureLabelWriter } from '../../infra/local/fixture/fixture-label-writer.ts';
import { createFixtureStore, storeFixture } from '../../infra/local/fixture/fixture-store.sql.ts';
import type { FixtureStore } from '../../infra/local/fixture/fixture-store.ts';
import { LABEL_CATALOG } from '../../infra/local/fixture/label-catalog.ts';
import { storeScanned } from './assets.ts';
import type { TestDatabase } from './database.ts';
import { noGraph } from './graph/no-graph.ts';
import { DEV } from './seed.ts';

export const SITE = 'site-test';
const DOMAIN = 'dom_finance' as DomainId;
export const WANTED = LABEL_CATALOG[2].guid;

/** People who act on assets of a fixture scope, through the functions that endpoints call, at a time that the test sets. */
export type ActionWorld = {
  parts: ActionParts;
  clock: { now: number };
  /** Hooks around a write at the source. `after` runs after a successful write. */
  around: { before(): Promise<void>; after(): Promise<void> };
  /** How often the source was written. */
  written: { count: number };
  writer: LabelWriter;
  /** Creates an asset without a label, and its item. */
  makeAsset(assetId: string): Promise<void>;
  atSource(assetId: string, request: FixtureRequest): Promise<void>;
  labelOf(assetId: string): Promise<string | null>;
  inTenant<T>(fn: (tx: Tx) => Promise<T>): Promise<T>;
  by(principalId: string): Requester;
  draft(principalId: string, assetId: string, request?: Partial<ActionRequest>): Promise<ActionDetail>;
  submit(principalId: string, actionId: string): Promise<ActionDetail>;
  repreview(principalId: string, actionId: string): Promise<ActionDetail>;
  decide(principalId: string, actionId: string, decision?: 'approve' | 'reject'): Promise<ActionDetail>;
};

/**
 * @param database a seeded one
 * @param store of the source; by default the fixture in the database
 */
export async function createActionWorld(
  database: TestDatabase,
  store: FixtureStore = createFixtureStore(database.db, DEV),
): Promise<ActionWorld> {
  const { db } = database;
  const clock = { now: Date.now() };
  const around = { before: async () => undefined, after: async () => undefined };
  const written = { count: 0 };
  const source = createFixtureLabelWriter({ store, clock: () => clock.now });
  const writer: LabelWriter = {
    ...source,
    writeLabel: async (item, wanted, signal) => {
      await around.before();
      const outcome = await source.writeLabel(item, wanted, signal);
      if (outcome.state !== 'written') return outcome;
      written.count++;
      await around.after();
      return outcome;
    },
  };
  const parts: ActionParts = {
    config: loadConfig({ SVC_ENV: 'development', SVC_DATABASE_URL: database.url }),
    graph: noGraph,
    fixture: fixtureCompany,
    db,
    clock: () => clock.now,
    log: createLogger({ level: 'error', clock: () => clock.now, destination: { write: () => undefined } }),
    stopping: new AbortController().signal,
    connectorOf: () => createFixtureConnector({ store }),
    writerOf: () => writer,
  };
  const inTenant = <T>(fn: (tx: Tx) => Promise<T>) => withTx(db, { tenantId: DEV, mode: 'write' }, fn);
  const principal = (principalId: string): Principal => ({
    tenantId: DEV,
    principalId: principalId as PrincipalId,
    authMode: 'dev',
    kind: 'person',
    displayName: principalId,
    title: '',
    department: '',
    roles: ['domain_owner', 'remediation_approver'],
    ownedDomains: [DOMAIN],
  });
  const by = (principalId: string): Requester => ({
    principal: principal(principalId),
    visibility: { kind: 'domains', domainIds: [DOMAIN] },
    now: clock.now,
    audit: () => undefined,
  });
  await inTenant(async (tx) => {
    await storeLabels(tx, 'm365', LABEL_CATALOG, clock.now);
    const scope = {
      externalId: SITE,
      name: 'Test site',
      kind: 'site',
      changeSeq: 0,
      cursorEpoch: 1,
    } as const;
    await storeFixture(tx, { scopes: [scope], items: [] });
  });
  const atSource = async (assetId: string, request: FixtureRequest) => {
    const facts = { at: new Date(clock.now).toISOString(), newExternalId: `ext-${assetId}` };
    const id = request.action === 'add' ? null : `ext-${assetId}`;
    await store.update(SITE, id, (scope, item) => applyFixtureAction(scope, item, request, facts));
  };
  return {
    parts,
    clock,
    around,
    written,
    writer,
    makeAsset: async (assetId) => {
      const said = [{ informationTypeId: 'ift_invoices', domainId: DOMAIN, confidence: 0.9 }];
      await storeScanned(db, DEV, [{ assetId, said }]);
      await atSource(assetId, { action: 'add', name: `${assetId}.txt`, content: 'Invoice' });
    },
    atSource,
    labelOf: async (assetId) => (await store.item(SITE, `ext-${assetId}`))?.labelGuid ?? null,
    inTenant,
    by,
    draft: async (principalId, targetAssetId, more = {}) => {
      const request: ActionRequest = {
        kind: 'sensitivity_label_set',
        justification: 'What it holds calls for it.',
        ...more,
        targetAssetId,
      };
      if (request.kind === 'sensitivity_label_set') request.desiredLabelGuid ??= WANTED;
      const asked = { request, key: null };
      const previewed = await previewDraft(parts, by(principalId), asked);
      return inTenant((tx) => draftAction(tx, by(principalId), asked, previewed));
    },
    submit: (principalId, actionId) => inTenant((tx) => submitAction(tx, by(principalId), actionId)),
    repreview: async (principalId, actionId) => {
      const previewed = await previewAgain(parts, DEV, by(principalId).visibility, actionId);
      return inTenant((tx) => repreviewAction(tx, by(principalId), actionId, previewed));
    },
    decide: (principalId, actionId, decision = 'approve') =>
      decideAction(
        parts,
        { principal: principal(principalId), correlationId: 'cor_1', now: clock.now },
        actionId,
        { decision, reason: '' },
      ),
  };
}

/** The action as stored. */
export async function storedAction(database: TestDatabase, actionId: string) {
  const [row] = await database.inspect<{
    status: string;
    outcome_reason: string | null;
    attempt: number;
    due_at: Date;
  }>(sql`select status, outcome_reason, attempt, due_at from actions where action_id = ${actionId}`);
  if (row === undefined) throw new Error('No such action');
  return row;
}
