import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { createMcpServer } from '../../../core/adapter/mcp-server.ts';
import type { Service } from '../../../core/adapter/service.ts';
import { ERROR_STATUS } from '../../../core/kernel/errors.ts';
import { readAnswer } from '../../support/adapter-client.ts';

/** Calls a tool of a server over a service that answers so. */
async function call(service: Service, name: string, args: Record<string, unknown> = {}) {
  const faults: unknown[] = [];
  const server = createMcpServer(service, (error) => faults.push(error));
  const client = new Client({ name: 'test', version: '1' });
  const [there, here] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  const { content, isError = false } = await client.callTool({ name, arguments: args });
  await client.close();
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  return { text, isError, answer: readAnswer(text), faults };
}

const answering =
  (status: number, body: unknown): Service =>
  async () => ({ status, body });
const scope = (n: number) => ({
  ...{ scopeId: `scp_${n}`, name: 'Site', kind: 'site', family: 'm365', mode: 'mock', externalId: 'x' },
  ...{
    selected: true,
    coverageState: n % 2 === 0 ? 'baseline' : null,
    deltaCursorStatus: 'none',
    narrowed: false,
    leftOut: null,
    inaccessible: null,
  },
  ...{ assetCount: 0, expectation: null, activeCampaignId: null },
});

describe('a list that the service cut off', () => {
  const items = Array.from({ length: 200 }, (_, n) => scope(n));
  const service = answering(200, { items, truncated: true });

  test.each([
    [{}, 20, true],
    [{ offset: 190, limit: 50 }, 10, true],
  ])('has a total that is not exact: %j', async (page, returned, truncated) => {
    const { answer, text } = await call(service, 'list_coverage', page);
    expect(answer).toMatchObject({ total: 200, totalIsExact: false, returned, truncated });
    expect(answer).toMatchObject({ data: { byState: { never: 100, baseline: 100 } } });
    expect(text).toContain(`${returned} of at least 200. truncated: true.`);
  });
});

test('each error of the service is told with its code and a next step', async () => {
  for (const [error, status] of Object.entries(ERROR_STATUS)) {
    const { text, isError } = await call(
      answering(status, { error, message: 'A reason.', correlationId: 'cor_1' }),
      'list_findings',
    );
    expect(isError, error).toBe(true);
    expect(text).toMatch(new RegExp(`^${error}: A reason\\.\nCorrelation id: cor_1\nNext: [A-Z].+\\.$`));
  }
});

test.each([
  ['another form', answering(200, { rows: [] })],
  ['an unknown error', answering(500, { error: 'out_of_cheese', message: 'canary' })],
  ['a page of a proxy', answering(502, '<html>canary</html>')],
])('an answer of %s is told as an internal error', async (_, service) => {
  const { text, isError, faults } = await call(service, 'list_findings');
  expect([isError, faults]).toEqual([true, []]);
  expect(text).toMatch(/^internal_error: The answer of the service has an unexpected form\./);
  expect(text).not.toContain('canary');
});

test('a fault of the adapter is reported, and the assistant is told nothing of it', async () => {
  const fault = new TypeError('canary of the inside');
  const { text, isError, faults } = await call(() => Promise.reject(fault), 'list_findings');
  expect([isError, faults]).toEqual([true, [fault]]);
  expect(text).toMatch(/^internal_error\nNext: /);
  expect(text).not.toContain('canary');
});

test('an id that would lead to another path is no id', async () => {
  const asked: unknown[] = [];
  const service: Service = async (tool, request) => {
    asked.push([tool, request]);
    return { status: 404, body: { error: 'not_found', message: 'No.' } };
  };
  for (const assetId of ['..', '.', 'a/b', 'ast_1?x', '', '%2e%2e', 'x'.repeat(65)]) {
    const { text } = await call(service, 'get_asset', { assetId });
    expect(text).toMatch(/^validation_failed\n- assetId: Is no id of an asset\./);
  }
  expect(asked).toEqual([]);
});

test.each([
  ['draft', null, 'The person must submit it'],
  ['blocked', 'label_write_off', 'cannot be submitted'],
])('what is %s says what people can do with it', async (status, blockedReason, told) => {
  const at = '2026-11-25T00:00:00.000Z';
  const label = { kind: 'label', labelState: 'unlabeled', labelGuid: null, labelName: null };
  const action = {
    ...{ actionId: 'act_1', kind: 'sensitivity_label_remove', targetAssetId: 'ast_1', findingId: null },
    ...{ targetAssetName: 'A file', targetAssetPath: 'a/file', targetScopeName: 'Site', taskNote: null },
    ...{ justification: 'It is not needed', desiredLabelGuid: null, taskTitle: null, taskId: null },
    ...{ status, blockedReason, outcomeReason: null, mode: null, verification: null, taskStatus: null },
    ...{ requester: { principalId: 'pri_1', displayName: 'Somebody' }, approvals: [], history: [] },
    ...{ attempts: 0, revision: 0, createdAt: at, updatedAt: at },
    preview: { readAt: at, readFrom: 'scan', currentState: label, desiredState: label, changes: true },
  };
  const { answer } = await call(answering(200, action), 'draft_remediation', {
    ...{ kind: 'sensitivity_label_remove', targetAssetId: 'ast_1', justification: 'It is not needed' },
  });
  expect(answer).toMatchObject({ note: expect.stringContaining(told) });
});
