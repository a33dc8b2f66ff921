import type { Endpoint } from '../../core/http/declaration.ts';
import type { TestService } from './client.ts';
import type { TestDatabase } from './database.ts';
import type { IdKind } from './id-kinds.ts';
import { readKnownIds } from './known-ids.ts';
import { finishScans, guardedEndpoints, type Persona, reachOf } from './leak-worlds.ts';
import { inTurn, NIGHTLY } from './property-runs.ts';
import { type IdSlot, type Rule, samplesOf } from './request-samples.ts';
import { ask, described } from './shown-answers.ts';

/** Adjusts bodies where the schema does not say which values go together. */
export const BODY_RULES: Readonly<Record<string, Rule>> = {
  'governance-assign-owner': ({ principalId, directoryId, ...body }) => [
    ...(principalId === undefined ? [] : [{ ...body, principalId }]),
    ...(directoryId === undefined ? [] : [{ ...body, directoryId }]),
  ],
  // The tenant is bound to no identity provider, so nobody has a subject.
  'admin-register-principal': ({ subject: _, issuer: __, kind: ___, invite: ____, ...body }) => [
    { ...body, invite: true },
  ],
  'governance-create-detector': () => [
    {
      title: 'Project number',
      pattern: 'QX-[0-9]{4}',
      examples: { hits: ['QX-1234'], misses: ['none'] },
    },
  ],
  'governance-create-suppression': (body) => {
    const expiresAt = new Date(Date.now() + 30 * 24 * 3_600_000).toISOString();
    return [
      { ...body, expiresAt },
      { ...body, expiresAt, detectorId: 'iban' },
    ];
  },
  'mcp-call': () => [
    { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'list_coverage', arguments: {} } },
  ],
  'actions-create': ({ targetAssetId, findingId, justification, desiredLabelGuid }) => [
    { kind: 'internal_task', targetAssetId, findingId, justification, taskTitle: 'Tidy up' },
    ...(desiredLabelGuid === undefined
      ? []
      : [{ kind: 'sensitivity_label_set', targetAssetId, findingId, justification, desiredLabelGuid }]),
  ],
};

/** Assigns domains only to this person, because other assignments would change the personas. */
const SPARED: Readonly<Record<string, Rule>> = {
  'governance-assign-owner': ({ principalId: _, directoryId: __, ...body }) => [
    { ...body, principalId: 'pri_sofia_marchetti' },
    { ...body, directoryId: 'dir_anna_fischer' },
  ],
  // Other requests need the scopes and their assets.
  'admin-set-scan-rules': () => [{ rules: [{ pattern: '*.nobodys' }] }],
  'admin-select-scopes': () => [{ scopeIds: null, unselected: 'keep' }],
  // Quiet hours and ceilings would stop scans.
  'admin-change-schedule': () => [{ revision: 0, inventory: { cron: '0 2 * * sun' } }],
};
const MADE_HERE = /_[0-9a-hjkmnp-tv-z]{26}$/;
/** What these change would change the personas, so they may only name what was made here. */
const OF_THOSE_MADE_HERE: readonly string[] = [
  'governance-end-assignment',
  'admin-deactivate-principal',
  'admin-end-sessions',
  'admin-invite-principal',
  'admin-reactivate-principal',
  'admin-set-roles',
];

export const mayName = ({ name }: Endpoint, kind: IdKind, id: string): boolean =>
  // The personas need their sessions.
  kind !== 'session' && (!OF_THOSE_MADE_HERE.includes(name) || MADE_HERE.test(id));

/** A request that should change something, with its answer. */
export type Change = { endpoint: string; status: number; asked: string };

/** The number of personas who call an endpoint for a change. Nightly, all do. */
const CALLERS_EACH = 3;

/**
 * The personas send every request that `allowed` accepts, each twice concurrently. First one persona calls each
 * endpoint, so that every table has rows. Then several do.
 */
export async function changeEverything(
  service: TestService,
  database: TestDatabase,
  who: readonly Persona[],
  allowed: (reach: ReturnType<typeof reachOf>) => boolean,
): Promise<Change[]> {
  const changes: Change[] = [];
  for (const isFirst of [true, false]) {
    const known = await readKnownIds(database);
    const changing = guardedEndpoints().filter(({ method }) => method !== 'GET');
    for (const [turn, endpoint] of changing.entries()) {
      const able = who.filter((persona) => allowed(reachOf(persona, endpoint)));
      const calling = isFirst ? able.slice(0, 1) : inTurn(able, turn, CALLERS_EACH);
      for (const [index, persona] of calling.entries()) {
        const naming = ({ kind }: IdSlot) => {
          const visible = known.visible(persona, endpoint, kind).filter((id) => mayName(endpoint, kind, id));
          return visible[index % visible.length] ?? 'none';
        };
        const samples = samplesOf(endpoint, naming, { rules: { ...BODY_RULES, ...SPARED } });
        // Others, and the same persona again, send fewer variants: the result rarely depends on the body.
        const all = index === 0 && (isFirst || NIGHTLY);
        for (const sample of samples.slice(0, all ? undefined : 2)) {
          const answers = await Promise.all([ask(persona, sample), ask(persona, sample)]);
          const asked = described(persona, sample);
          changes.push(...answers.map(({ status }) => ({ endpoint: endpoint.name, status, asked })));
        }
      }
    }
  }
  // Nothing may be left to do, here and in copies of the database.
  await finishScans(service, database);
  return changes;
}
