import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createPool } from '../../core/db/pool.ts';
import { type Runtime, useRuntime } from '../../core/runtime.ts';
import { type ApiClient, signIn } from '../../infra/local/api-client.ts';
import { startFunctionsHost } from '../../infra/local/functions-host.ts';
import { seedTenant, DEVELOPMENT_TENANT_ID as tenantId } from '../../infra/local/seed.ts';
import { startDatabase } from '../support/database.ts';
import { composeForShare, connectShare, inventory } from '../support/inventory.ts';
import { inWorkspace, type Workspace } from '../support/workspace.ts';
import { definitionOf } from './definitions.ts';
import { type Point, type Simulated, SURE } from './owners.ts';

/** `label` is null if the document belongs to no type of the taxonomy. */
type Document = { text: string; label: string | null };
type Question = {
  candidateId: string;
  assetName: string;
  domainId: string;
  confidence: number | null;
  revision: number;
};
type Queue = { items: Question[]; total: number };

const OWNER = 'pri_owner';
const ROOT = path.resolve(import.meta.dirname, '../..');

/** The same as `simulate`, in the order of the queue, as one owner of all domains who asks and answers over HTTP. */
export const simulateOverHttp = (
  documents: readonly Document[],
  labels: readonly string[],
  at: readonly number[],
): Promise<Simulated> =>
  inWorkspace(async (workspace) => {
    const { runtime, owner } = await serve(workspace, documents, labels);
    const idOf = (label: string | null) => (label === null ? null : `dom_${labels.indexOf(label)}`);
    const ownerOf = (name: string) => idOf(documents[Number.parseInt(name, 10)]?.label ?? null);
    const confirmed = new Map<string, string>();
    const asked = new Set<string>();
    const points: Point[] = [];
    const sure = { asked: 0, right: 0 };
    let waste = 0;
    for (let given = 0; ; given++) {
      if (at.includes(given)) points.push(await pointNow(given));
      const { items } = await owner.get<Queue>('/api/review/queue?limit=1');
      const [question] = items;
      if (question === undefined) return { points, sure, last: given };
      const { candidateId, revision, domainId, assetName, confidence } = question;
      const isTheirs = ownerOf(assetName) === domainId;
      const { status } = await owner.post(`/api/review/candidates/${candidateId}/decision`, {
        ...{ decision: isTheirs ? 'mine' : 'not_a_match', revision },
      });
      if (status !== 200) throw new Error(`An answer was refused with ${status}`);
      if (isTheirs) confirmed.set(assetName, domainId);
      else waste++;
      if ((confidence ?? 0) >= SURE) {
        sure.asked++;
        if (isTheirs) sure.right++;
      }
      await runtime.worker.drain(Number.POSITIVE_INFINITY, runtime.stopping);
    }

    /** A question that came and went between two points is not among those asked about. */
    async function pointNow(answers: number): Promise<Point> {
      const queues = [];
      for (const label of labels)
        queues.push(await owner.get<Queue>(`/api/review/queue?limit=200&domainId=${idOf(label)}`));
      const open = queues.flatMap(({ items }) => items);
      const likeliest = new Map<string, Question>();
      for (const question of open) {
        asked.add(question.assetName);
        const other = likeliest.get(question.assetName);
        if ((question.confidence ?? 0) > (other?.confidence ?? -1))
          likeliest.set(question.assetName, question);
      }
      const named = documents.map(({ label }, nth) => ({ domainId: idOf(label), name: `${nth}.txt` }));
      const typed = named.filter(({ domainId }) => domainId !== null);
      const noType = named.filter(({ domainId }) => domainId === null);
      const right = typed.filter(
        ({ name, domainId }) => (confirmed.get(name) ?? likeliest.get(name)?.domainId) === domainId,
      );
      return {
        answers,
        right: right.length / Math.max(1, typed.length),
        waste: waste / Math.max(1, answers),
        noTypeAsked: noType.filter(({ name }) => asked.has(name)).length / Math.max(1, noType.length),
        open: queues.reduce((sum, { total }) => sum + total, 0),
      };
    }
  });

/** A service on a database of its own, which has scanned the documents. */
async function serve(
  workspace: Workspace,
  documents: readonly Document[],
  labels: readonly string[],
): Promise<{ runtime: Runtime; owner: ApiClient }> {
  const share = path.join(workspace.folder, 'share');
  await mkdir(share);
  for (const [nth, { text }] of documents.entries()) await writeFile(path.join(share, `${nth}.txt`), text);
  const urls = await startDatabase(workspace);
  const database = createPool(urls.ownerUrl, { max: 1, applicationName: 'bench' });
  await seedTenant(database, tenantOf(labels), Date.now());
  await database.close();
  const runtime = await composeForShare(workspace, urls.url, share);
  useRuntime(runtime);
  const host = await startFunctionsHost({ root: ROOT, main: 'functions/http/**/*.ts' });
  workspace.atEnd(host.close);
  await inventory(runtime, tenantId, await connectShare(runtime, tenantId));
  return { runtime, owner: await signIn(host.url, OWNER) };
}

/** One domain with one type for each label, as in the taxonomy of `simulate`. */
const tenantOf = (labels: readonly string[]): Parameters<typeof seedTenant>[1] => ({
  tenantId,
  name: 'bench',
  personas: [{ id: OWNER, displayName: OWNER, title: '', department: '', roles: ['domain_owner'] }],
  taxonomy: labels.map((name, nth) => ({
    ...{ id: `dom_${nth}`, name, description: definitionOf(name), inclusion: '', exclusion: '' },
    informationTypes: [
      {
        ...{ id: `ift_${nth}`, name, definition: definitionOf(name), sensitivity: 'internal' as const },
        ...{ sensitivityRationale: '', expectedLocationNote: '' },
        indicators: { detectors: [], keywords: [] },
      },
    ],
  })),
  assignments: labels.map((_, nth) => ({
    ...{ principalId: OWNER, domainId: `dom_${nth}`, kind: 'owner' as const, attestationDays: null },
  })),
  profile: null,
  fixture: null,
});
