import { beforeAll, describe, expect, test } from 'vitest';
import { auditText } from '../../core/audit/event.ts';
import type { Access, Endpoint } from '../../core/http/declaration.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { routeOf } from '../../core/kernel/route.ts';
import { loadFunctions } from '../../docs/load-functions.ts';
import type { FunctionApp } from '../../infra/local/functions-host/core-module.ts';
import { toServedFunctions } from '../../infra/local/functions-host/function-metadata.ts';
import { createRouter } from '../../infra/local/functions-host/router.ts';

/** The interface's table of endpoints: method, path, and the capability that is checked. */
const SPECIFIED = `
GET /api/health public
GET /api/ready public
GET /api/auth/mode public
GET /api/auth/dev/personas dev
POST /api/auth/dev/login dev
POST /api/auth/logout public
GET /api/auth/me session
GET /api/auth/idp/login public
GET /api/auth/idp/callback public
GET /api/onboarding/profile tenant.profile.read
POST /api/onboarding/profile tenant.profile.write
POST /api/onboarding/policy-documents governance.policy.ingest
GET /api/onboarding/policy-documents governance.policy.read
POST /api/onboarding/generate-taxonomy governance.taxonomy.propose
GET /api/governance/taxonomy governance.taxonomy.read
PATCH /api/governance/domains/:id governance.taxonomy.admin
POST /api/governance/domains/:id/approve governance.taxonomy.approve
PATCH /api/governance/information-types/:id governance.taxonomy.admin
POST /api/governance/information-types/:id/approve governance.taxonomy.approve
GET /api/governance/information-types/:id/suggested-keywords governance.taxonomy.admin
GET /api/governance/owner-suggestions governance.owner.assign
POST /api/governance/owners governance.owner.assign
GET /api/governance/owners governance.taxonomy.read
GET /api/governance/labels governance.taxonomy.read
POST /api/sources/connect connector.configure
GET /api/sources scan.job.read
POST /api/sources/:id/expectation governance.taxonomy.admin
POST /api/scans scan.job.create
POST /api/scans/:id/pause scan.job.pause
POST /api/scans/:id/resume scan.job.resume
POST /api/scans/:id/cancel scan.job.cancel
GET /api/scans scan.job.read
GET /api/scans/:id scan.job.read
POST /api/dev/fixture/mutate dev+connector.configure
POST /api/models/rescore model.release.approve
GET /api/models/releases governance.taxonomy.read
GET /api/models/dataset-candidates model.dataset.curate
POST /api/models/dataset-candidates/:id/decide model.dataset.curate
GET /api/models/datasets model.dataset.curate
POST /api/models/datasets model.dataset.curate
GET /api/models/governed-releases governance.taxonomy.read
POST /api/models/releases/propose model.release.propose
POST /api/models/releases/:id/evaluate model.release.propose
POST /api/models/releases/:id/approve model.release.approve
POST /api/models/releases/:id/reject model.release.approve
POST /api/models/releases/:id/promote model.release.approve
POST /api/models/releases/:id/rollback model.release.approve
GET /api/review/queue review.read
GET /api/review/candidates/:id review.read
POST /api/review/candidates/:id/decision review.decide
POST /api/analyst/query analyst.query
GET /api/analyst/history analyst.query
POST /api/actions action.draft
GET /api/actions session
POST /api/actions/:id/submit action.submit
POST /api/actions/:id/approval action.approve
POST /api/actions/:id/repreview action.draft
GET /api/home session
GET /api/landscape asset.metadata.read
GET /api/assets asset.metadata.read
GET /api/assets/:id asset.metadata.read
GET /api/assets/:id/connections asset.metadata.read
GET /api/assets/:id/semantic-neighbors asset.metadata.read
GET /api/findings finding.read
GET /api/ops/overview operations.read
GET /api/ops/metrics operations.read
GET /api/audit audit.read
POST /api/admin/notifications/subscribe connector.configure
POST /api/admin/notifications/renew connector.configure
GET /api/admin/notifications/subscriptions operations.read
GET /api/admin/notifications/recent operations.read
POST /api/dev/notifications/simulate dev
POST /api/webhooks/graph/notifications public
POST /api/webhooks/graph/lifecycle public
POST /api/admin/connector/test connector.test
POST /api/chat/sync connector.configure
POST /api/mail/sync connector.configure
`;

/** What this service has beyond that table. */
const OURS = `
POST /api/analyst/csv analyst.query
POST /api/analyst/plan analyst.query
GET /api/analyst/plan-schema analyst.query
GET /api/analyst/plans analyst.query
POST /api/analyst/plans analyst.query
POST /api/analyst/plans/:id/run analyst.query
DELETE /api/analyst/plans/:id analyst.query
GET /api/governance/ai-usage ai.usage.read
GET /api/admin/retention tenant.profile.read
GET /api/admin/schedules operations.read
PUT /api/admin/schedules connector.configure
GET /api/admin/connectors operations.read
PUT /api/admin/connectors/:family/selection connector.configure
GET /api/admin/scan-rules connector.configure
PUT /api/admin/scan-rules connector.configure
POST /api/scans/estimate scan.job.create
GET /api/trends asset.metadata.read
GET /api/chat/channels operations.read
GET /api/chat/messages operations.read
GET /api/chat/messages/:id operations.read
GET /api/chat/findings operations.read
GET /api/mail/mailboxes operations.read
GET /api/mail/messages operations.read
GET /api/mail/messages/:id operations.read
GET /api/mail/findings operations.read
GET /api/scans/:id/events scan.job.read
GET /api/onboarding/policy-documents/:id governance.policy.read
GET /api/onboarding/progress tenant.profile.read
GET /api/onboarding/settings tenant.profile.read
PATCH /api/onboarding/settings tenant.profile.write
POST /api/governance/domains governance.taxonomy.admin
POST /api/governance/information-types governance.taxonomy.admin
GET /api/governance/regulatory-mappings governance.taxonomy.read
POST /api/governance/regulatory-mappings governance.taxonomy.admin
POST /api/governance/regulatory-mappings/:id/approve governance.taxonomy.approve
POST /api/governance/regulatory-mappings/:id/reject governance.taxonomy.approve
GET /api/governance/suppressions governance.suppression.read
POST /api/governance/suppressions governance.suppression.create
GET /api/governance/suppressions/:id governance.suppression.read
POST /api/governance/suppressions/:id/dry-run governance.suppression.create
POST /api/governance/suppressions/:id/approve governance.suppression.approve
POST /api/governance/suppressions/:id/reject governance.suppression.approve
POST /api/governance/suppressions/:id/revoke governance.suppression.create
GET /api/governance/directory/people governance.owner.assign
GET /api/governance/directory/groups governance.owner.assign
GET /api/governance/directory/groups/:id/people governance.owner.assign
PATCH /api/governance/owners/:id governance.owner.assign
POST /api/governance/owners/:id/attest governance.owner.attest
POST /api/governance/owners/:id/end governance.owner.assign
GET /api/assets/facets asset.metadata.read
GET /api/review/queue/facets review.read
GET /api/findings/by-asset finding.read
GET /api/suggestions session
GET /api/findings/facets finding.read
POST /api/findings/:id/acknowledge finding.acknowledge
POST /api/findings/:id/take-back finding.acknowledge
POST /api/findings/acknowledgements finding.acknowledge
POST /api/review/decisions review.decide
POST /api/actions/approvals action.approve
GET /api/review/decisions review.read
GET /api/review/destinations review.decide
GET /api/exports/assets asset.metadata.read
GET /api/exports/findings finding.read
GET /api/exports/actions session
GET /api/exports/tasks session
GET /api/exports/audit audit.read
GET /api/exports/decisions review.read
GET /api/exports/principals principal.read
GET /api/exports/queue review.read
GET /api/exports/scans scan.job.read
GET /api/audit/verify audit.read
GET /api/actions/facets session
GET /api/actions/:id session
POST /api/actions/:id/cancel action.cancel
POST /api/actions/:id/withdraw action.draft
GET /api/tasks session
GET /api/tasks/facets session
POST /api/tasks/:id/status task.update
GET /api/audit/checkpoints audit.read
POST /api/ops/fleet/:id/drain operations.manage
POST /api/ops/fleet/:id/undrain operations.manage
POST /api/ops/dead-letters/:id/retry operations.manage
GET /api/models/governed-releases/:id governance.taxonomy.read
POST /api/models/releases/:id/withdraw model.release.propose
GET /api/governance/detectors governance.taxonomy.read
POST /api/governance/detectors governance.taxonomy.admin
PATCH /api/governance/detectors/:id governance.taxonomy.admin
POST /api/governance/detectors/:id/dry-run governance.taxonomy.admin
GET /api/admin/principals principal.read
POST /api/admin/principals principal.manage
POST /api/admin/principals/:id/invitation principal.manage
PUT /api/admin/principals/:id/roles principal.manage
POST /api/admin/principals/:id/deactivate principal.manage
POST /api/admin/principals/:id/reactivate principal.manage
DELETE /api/admin/principals/:id/sessions principal.manage
GET /api/controlplane/telemetry-preview telemetry.read
GET /api/controlplane/telemetry telemetry.read
PATCH /api/controlplane/telemetry telemetry.manage
GET /api/support/diagnostics/preview support.diagnostics.read
GET /api/controlplane/status license.read
POST /api/controlplane/activate license.manage
POST /api/controlplane/activate-online license.manage
POST /api/controlplane/renew license.manage
POST /api/controlplane/deactivate license.manage
GET /api/auth/sessions session
DELETE /api/auth/sessions session
DELETE /api/auth/sessions/:id session
POST /api/mcp session
GET /api/openapi.json public
GET /api/docs public
GET /api/docs/:file public
`;

/** The table's endpoints that this release answers; it grows with each. */
const ANSWERED = `
GET /api/health
GET /api/ready
GET /api/auth/mode
GET /api/auth/dev/personas
POST /api/auth/dev/login
POST /api/auth/logout
GET /api/auth/me
GET /api/auth/idp/login
GET /api/auth/idp/callback
POST /api/sources/connect
GET /api/sources
POST /api/sources/:id/expectation
POST /api/scans
POST /api/scans/:id/pause
POST /api/scans/:id/resume
POST /api/scans/:id/cancel
GET /api/scans
GET /api/scans/:id
GET /api/onboarding/profile
POST /api/onboarding/profile
POST /api/onboarding/policy-documents
GET /api/onboarding/policy-documents
POST /api/onboarding/generate-taxonomy
GET /api/governance/taxonomy
PATCH /api/governance/domains/:id
POST /api/governance/domains/:id/approve
PATCH /api/governance/information-types/:id
POST /api/governance/information-types/:id/approve
GET /api/governance/labels
GET /api/governance/owner-suggestions
POST /api/governance/owners
GET /api/governance/owners
GET /api/home
GET /api/landscape
GET /api/assets
GET /api/assets/:id
GET /api/assets/:id/connections
GET /api/assets/:id/semantic-neighbors
GET /api/findings
GET /api/ops/overview
GET /api/ops/metrics
GET /api/review/queue
GET /api/review/candidates/:id
POST /api/review/candidates/:id/decision
GET /api/audit
POST /api/admin/notifications/subscribe
POST /api/admin/notifications/renew
POST /api/admin/connector/test
GET /api/admin/notifications/subscriptions
GET /api/admin/notifications/recent
POST /api/dev/notifications/simulate
POST /api/webhooks/graph/notifications
POST /api/webhooks/graph/lifecycle
POST /api/models/rescore
GET /api/models/releases
GET /api/models/dataset-candidates
POST /api/models/dataset-candidates/:id/decide
GET /api/models/datasets
POST /api/models/datasets
GET /api/models/governed-releases
POST /api/models/releases/propose
POST /api/models/releases/:id/evaluate
POST /api/models/releases/:id/approve
POST /api/models/releases/:id/reject
POST /api/models/releases/:id/promote
POST /api/models/releases/:id/rollback
POST /api/dev/fixture/mutate
POST /api/actions
GET /api/actions
POST /api/actions/:id/submit
POST /api/actions/:id/approval
POST /api/actions/:id/repreview
`;

const rowsOf = (table: string) =>
  table
    .trim()
    .split(/\n+/)
    .map((line) => {
      const [method = '', path = '', access = ''] = line.split(' ');
      return { call: `${method} ${path}`, access };
    });

const callOf = ({ method, path }: Endpoint) => `${method} ${path.replace(/\{\*?(\w+)\}/g, ':$1')}`;

function accessOf({ access, devOnly }: Endpoint): string {
  const inWords = (of: Access) =>
    of.kind === 'can' ? of.capability : of.kind === 'session' ? 'session' : 'public';
  if (!devOnly) return inWords(access);
  // Of what exists in development only, the table names no more than the capability.
  return access.kind === 'can' ? `dev+${inWords(access)}` : 'dev';
}

let all: Endpoint[];
let app: FunctionApp;

beforeAll(async () => {
  ({ app, endpoints: all } = await loadFunctions());
});

describe('the registry and the table of endpoints', () => {
  test('every endpoint is in the table, with the access that it says', () => {
    const specified = new Map(rowsOf(SPECIFIED + OURS).map(({ call, access }) => [call, access]));
    const differing = all
      .map((endpoint) => ({ call: callOf(endpoint), access: accessOf(endpoint) }))
      .filter(({ call, access }) => specified.get(call) !== access);
    expect(differing).toEqual([]);
  });

  test('what this release answers is there', () => {
    const calls = all.map(callOf);
    for (const { call } of rowsOf(ANSWERED + OURS)) expect(calls).toContain(call);
  });

  test('the audit trail can hold the route of each, and its name stands for its count', () => {
    const source = { tenantId: 'dev' as TenantId, principalId: null, correlationId: 'cor_1', now: 0 };
    for (const endpoint of all) {
      const details = { route: routeOf(endpoint.path) };
      const text = auditText(source, { category: 'auth', type: 'authorization_denied', details });
      expect(`${endpoint.method} ${JSON.parse(text).details.route}`).toBe(callOf(endpoint));
      // As `not_found_counts` takes it.
      expect(endpoint.name).toMatch(/^[a-z][a-z0-9-]{0,63}$/);
    }
  });

  test('no endpoint that changes anything is a GET, and each bounds its body', () => {
    for (const endpoint of all) {
      if (endpoint.method === 'GET') expect(endpoint.transaction, endpoint.name).not.toBe('write');
      expect(endpoint.maxBodyBytes ?? 0, endpoint.name).toBeLessThanOrEqual(5 * 1024 * 1024);
    }
  });

  test('every answer has a schema, or a media type of its own', () => {
    for (const endpoint of all) {
      expect(endpoint.response !== undefined || endpoint.produces !== undefined, endpoint.name).toBe(true);
    }
  });
});

describe('the functions', () => {
  const settings = { AzureWebJobsStorage: 'UseDevelopmentStorage=true' };

  test('have names and routes that the Functions host takes', () => {
    const served = toServedFunctions(app.functions.values(), settings, '');
    expect(served.length).toBe(app.functions.size);
    for (const { name } of served) expect(name).toMatch(/^[a-z][a-z0-9_-]{0,127}$/);
    for (const candidate of served) {
      if (candidate.kind !== 'http') continue;
      const route = candidate.name === 'zzz-console' ? /^\{\*path\}$/ : /^api\//;
      expect(candidate.route, candidate.name).toMatch(route);
    }
  });

  test('the Functions host routes them by their routes, the catch-all last', () => {
    const served = toServedFunctions(app.functions.values(), settings, '');
    const routes = served.flatMap((candidate) =>
      candidate.kind === 'http' ? [{ ...candidate, template: candidate.route, target: candidate.name }] : [],
    );
    const router = createRouter(routes);
    for (const { name, route, methods } of routes) {
      const path = `/${route.replace(/\{[^}]+\}/g, 'x')}`;
      for (const method of methods) expect(router.match(method, path)).toMatchObject({ target: name });
    }
    expect(
      routes
        .map(({ name }) => name)
        .sort()
        .slice(-2),
    ).toEqual(['zz-unmatched', 'zzz-console']);
    expect(router.match('DELETE', '/api/health')).toMatchObject({ target: 'zz-unmatched' });
    expect(router.match('GET', '/api/none')).toMatchObject({ target: 'zz-unmatched' });
    for (const path of ['/', '/review', '/static/a.js', '/assets/ast_1', '/a/b/c']) {
      expect(router.match('HEAD', path)).toMatchObject({ target: 'zzz-console' });
    }
  });

  test('are as many as their files declare: one each', async () => {
    // Unknown paths and the console are functions without an endpoint.
    expect(all.length + 2).toBe(
      [...app.functions.keys()].filter(
        (name) => !/^(?:drain|sweep|renew|expire|reconcile|checkpoint|send|ask|start|sync)-/.test(name),
      ).length,
    );
  });
});
