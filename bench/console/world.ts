import { createPool } from '../../core/db/pool.ts';
import { DEVELOPMENT_TENANT_ID, seedDevelopmentTenant } from '../../infra/local/seed.ts';
import { storeScanned } from '../../test/support/assets.ts';
import { withConsole } from '../../test/support/console.ts';
import { startChild } from '../support/child.ts';
import { startDatabase } from '../support/database.ts';
import type { Workspace } from '../support/workspace.ts';

/** The owner in whose name everything is measured. */
export const OWNER = 'Amara Okafor';

/** What the fixture has as reasons of a question, at the median. */
const CONTRIBUTIONS = [
  { name: 'starting_point', weight: 4, score: -1, value: -4, evidence: {} },
  {
    name: 'detector_signals',
    weight: 3,
    score: 0.9,
    value: 2.7,
    evidence: { detectors: ['iban', 'de_tax_id'] },
  },
  {
    name: 'lexical_similarity',
    weight: 3,
    score: 0.8,
    value: 2.4,
    evidence: { terms: ['invoice', 'amount'] },
  },
  { name: 'name_and_path', weight: 2, score: 0.9, value: 1.8, evidence: { terms: ['invoice'] } },
  { name: 'title_words', weight: 1, score: 0.7, value: 0.7, evidence: { terms: ['invoice'] } },
  { name: 'rival_domains', weight: 2, score: -0.4, value: -0.8, evidence: {} },
] as const;

/** Serves the built console with an owner who has a question about each of so many files. */
export async function startWorld(workspace: Workspace, files: number): Promise<{ url: string }> {
  await withConsole();
  const { ownerUrl, url: databaseUrl } = await startDatabase(workspace);
  const owner = createPool(ownerUrl, { max: 1, applicationName: 'bench' });
  await seedDevelopmentTenant(owner, Date.now()).finally(owner.close);
  const db = createPool(databaseUrl, { max: 1, applicationName: 'bench' });
  const assets = Array.from({ length: files }, (_, at) => ({
    assetId: `ast_bench_${String(at).padStart(4, '0')}`,
    name: `Invoice ${at} of the supplier for the month.docx`,
    path: `Accounting/2026/Suppliers/Invoice ${at} of the supplier for the month.docx`,
    said: [
      {
        domainId: 'dom_finance',
        informationTypeId: 'ift_invoices',
        confidence: 0.95 - at / 10_000,
        contributions: CONTRIBUTIONS.map((each) => ({ ...each })),
      },
    ],
  }));
  await storeScanned(db, DEVELOPMENT_TENANT_ID, assets).finally(db.close);
  return startChild<{ url: string }>(
    workspace,
    new URL('../read-models/service.ts', import.meta.url),
    { databaseUrl },
    { SVC_LOG_LEVEL: 'error' },
  );
}
