import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints } from '../../core/http/endpoint.ts';
import { EXAMPLES } from '../../core/http/examples.ts';
import { openApiDocument } from '../../core/http/openapi.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;
let service: TestService;
let people: SignedIn[];

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 1 });
  service = await startService(database);
  const ids = [
    PERSONA.platformAdmin,
    PERSONA.governanceAdmin,
    PERSONA.financeOwner,
    PERSONA.approver,
    PERSONA.auditor,
  ];
  people = await Promise.all(ids.map((id) => service.signInAs(id)));
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

/** What is answered to the first person who may send it. */
async function answerTo(method: string, path: string, body?: unknown) {
  // Some operations end sessions, so each caller has a new one.
  for (const { principalId } of people) {
    const person = await service.signInAs(principalId);
    const { status, text } = await person.request(method, path, body === undefined ? {} : { body });
    if (status !== 403) return { status, text };
  }
  throw new Error(`Nobody may send ${method} ${path}`);
}

/** Bodies that name what a deployment makes itself. */
const NAMES_MADE_IDS: ReadonlySet<string> = new Set([
  'actions-create',
  'dev-simulate-notification',
  'notifications-subscribe',
  'scans-estimate',
  'scans-start',
]);

test('each example is accepted; ids that a deployment makes are not found', async () => {
  const document = openApiDocument(endpoints());
  const stored: string[] = [];
  for (const { name, method, path, body } of endpoints()) {
    // The vendor alone makes a token that is accepted.
    if (body === undefined || name === 'controlplane-activate') continue;
    const { parameters = [] } = document.paths[path]?.[method.toLowerCase()] ?? {};
    const target = parameters
      .filter(({ in: where, name: parameter }) => where === 'path' && parameter !== 'id')
      .reduce(
        (filled: string, parameter) => filled.replace(`{${parameter.name}}`, String(parameter.example)),
        path.replaceAll('{id}', 'none'),
      );
    expect(EXAMPLES[name], `${name} has no example of its body`).toBeDefined();
    const { status, text } = await answerTo(method, target, EXAMPLES[name]);
    if (!path.includes('{id}') && !NAMES_MADE_IDS.has(name)) expect(status, `${name}: ${text}`).not.toBe(404);
    if (status === 200) stored.push(name);
    expect([400, 413, 415, 500], `${name}: ${text}`).not.toContain(status);
  }
  for (const name of [
    'governance-create-domain',
    'governance-create-detector',
    'analyst-query',
    'analyst-save-plan',
  ])
    expect(stored).toContain(name);
});

test('each read without an id answers as it is called', async () => {
  const document = openApiDocument(endpoints());
  for (const { name, method, path, access } of endpoints()) {
    if (method !== 'GET' || path.includes('{') || access.kind === 'source' || name.startsWith('auth-idp'))
      continue;
    const { parameters = [] } = document.paths[path]?.get ?? {};
    const query = parameters.flatMap(({ name: parameter, in: where, required, example }) =>
      where === 'query' && required === true
        ? [[String(parameter), String(example)] as [string, string]]
        : [],
    );
    const { status, text } = await answerTo('GET', `${path}?${new URLSearchParams(query)}`);
    expect([200, 409, 501, 422], `${name} ${status}: ${text.slice(0, 200)}`).toContain(status);
  }
});
