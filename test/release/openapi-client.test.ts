import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApiDocument } from '../../core/http/openapi.ts';
import { loadFunctions } from '../../docs/load-functions.ts';
import { clientFrom, compilerOn } from '../support/release/generated-client.ts';

/** What somebody writes with the client of this repository: the names that they rely on. */
const OWN = `
import { actionsGet } from '${path.resolve(import.meta.dirname, '../../client/generated/actions/actions.ts')}';
import { governanceCreateDomain } from '${path.resolve(import.meta.dirname, '../../client/generated/governance/governance.ts')}';
import { useReviewDecide, useReviewListQueue } from '${path.resolve(import.meta.dirname, '../../client/generated/review/review.ts')}';
import type { Action, Candidate, Severity } from '${path.resolve(import.meta.dirname, '../../client/generated/service.schemas.ts')}';
import { isRefusal } from '${path.resolve(import.meta.dirname, '../../client/refusal.ts')}';

const most: Severity = 'critical';
export const isUrgent = ({ riskSeverity }: Candidate): boolean => riskSeverity === most;
export const statusOf = async (id: string): Promise<Action['status']> => (await actionsGet(id)).status;
// Fields with a default may be left out.
export const draft = (signal: AbortSignal) => governanceCreateDomain({ name: 'Facilities' }, { signal });
export function useFirst(): string | undefined {
  const { mutate, error } = useReviewDecide();
  const first = useReviewListQueue({ limit: 1 }).data?.items[0];
  if (first !== undefined) mutate({ id: first.candidateId, data: { decision: 'mine' } });
  if (isRefusal(error, 'validation_failed')) return error.body.issues[0]?.path;
  return error?.body.error === 'conflict' ? error.body.message : undefined;
}

// @ts-expect-error no severity is called so
export const wrong: Severity = 'severe';
`;

/** The same of a client that somebody has generated on their own. */
const OTHER = `
import { actionsGet, governanceCreateDomain, type Action, type Candidate, type Severity } from './client.ts';

const most: Severity = 'critical';
export const isUrgent = ({ riskSeverity }: Candidate): boolean => riskSeverity === most;

export async function statusOf(id: string): Promise<Action['status'] | null> {
  const { status, data } = await actionsGet(id);
  return status === 200 ? data.status : null;
}

export const draft = (token: string) =>
  governanceCreateDomain({ name: 'Facilities' }, { headers: { 'x-svc-csrf': token } });
`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'openapi-client-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test('the client of this repository has a function for each operation', async () => {
  const { endpoints } = await loadFunctions();
  for (const { name, path: route } of endpoints) {
    const tag = (route.split('/')[2] ?? '').replace('.', '-');
    const file = path.resolve(import.meta.dirname, `../../client/generated/${tag}/${tag}.ts`);
    const called = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    expect((await readFile(file, 'utf8')).includes(`export const ${called} = async `), name).toBe(true);
  }
});

test('a page may use it: resources, hooks and refusals by code have types', async () => {
  // Beside the packages, so that the compiler finds those that the hooks need.
  const beside = path.resolve(import.meta.dirname, '../../node_modules/.cache/client-use');
  await rm(beside, { recursive: true, force: true });
  await mkdir(beside, { recursive: true });
  await writeFile(path.join(beside, 'use.ts'), OWN);
  expect(await compilerOn(beside, 'use.ts')).toBe('');
});

test('a client that somebody generates from the document compiles', async () => {
  const { endpoints } = await loadFunctions();
  await clientFrom(openApiDocument(endpoints), folder);
  await writeFile(path.join(folder, 'use.ts'), OTHER);
  expect(await compilerOn(folder, 'client.ts', 'use.ts')).toBe('');
});
