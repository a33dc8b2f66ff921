import type { AuditCategory, AuditEntry } from '../audit/event.ts';
import { type ErrorCode, validationFailed } from '../kernel/errors.ts';

/** Names the tool that a request of the adapter is made for. */
export const ADAPTER_TOOL_HEADER = 'x-svc-adapter-tool';

/** An endpoint as its declaration names it. */
type Called = { readonly method: string; readonly path: `/api/${string}` };

/**
 * The tools of the adapter: the endpoints that each may call, and the category in which its calls are audited. What
 * approves, executes or decides is not among them.
 */
export const ADAPTER_TOOLS = {
  search_assets: { category: 'governance', calls: [{ method: 'GET', path: '/api/assets' }] },
  get_asset: { category: 'governance', calls: [{ method: 'GET', path: '/api/assets/{id}' }] },
  list_findings: { category: 'governance', calls: [{ method: 'GET', path: '/api/findings' }] },
  list_coverage: { category: 'scan', calls: [{ method: 'GET', path: '/api/sources' }] },
  list_taxonomy: {
    category: 'governance',
    calls: [
      { method: 'GET', path: '/api/governance/taxonomy' },
      { method: 'GET', path: '/api/governance/labels' },
    ],
  },
  ask_analyst: { category: 'analyst', calls: [{ method: 'POST', path: '/api/analyst/query' }] },
  get_plan_schema: { category: 'analyst', calls: [{ method: 'GET', path: '/api/analyst/plan-schema' }] },
  run_plan: { category: 'analyst', calls: [{ method: 'POST', path: '/api/analyst/plan' }] },
  draft_remediation: { category: 'action', calls: [{ method: 'POST', path: '/api/actions' }] },
  start_scan: { category: 'scan', calls: [{ method: 'POST', path: '/api/scans' }] },
} as const satisfies Record<string, { category: AuditCategory; calls: readonly Called[] }>;

export type AdapterTool = keyof typeof ADAPTER_TOOLS;

/**
 * The tool that a request to an endpoint is made for, or null if it does not come from the adapter. Throws
 * `validation_failed` if the adapter has no such tool, or not for this endpoint.
 */
export function adapterToolOf(endpoint: Called, header: string | null): AdapterTool | null {
  if (header === null) return null;
  const tool = (Object.keys(ADAPTER_TOOLS) as AdapterTool[]).find((name) => name === header);
  const calls: readonly Called[] = tool === undefined ? [] : ADAPTER_TOOLS[tool].calls;
  if (tool === undefined || !calls.some((call) => isSame(call, endpoint))) {
    throw validationFailed([
      { path: ADAPTER_TOOL_HEADER, message: 'Names no tool that calls this endpoint.' },
    ]);
  }
  return tool;
}

const isSame = (one: Called, other: Called) => one.method === other.method && one.path === other.path;

/** The audit event of a call: that it was made through the adapter, for which tool, and how it was answered. */
export const adapterCalled = (tool: AdapterTool, outcome: 'answered' | ErrorCode): AuditEntry => ({
  category: ADAPTER_TOOLS[tool].category,
  type: 'adapter_called',
  details: { tool, outcome },
});
