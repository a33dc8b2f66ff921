import { expect } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { infer, type Said, storeScanned } from './assets.ts';
import type { SignedIn } from './client.ts';
import type { TestDatabase } from './database.ts';
import { DEV } from './seed.ts';

export type Candidate = {
  candidateId: string;
  assetId: string;
  assetName: string;
  location: { scopeName: string; path: string };
  domainId: string;
  informationTypeId: string | null;
  types: { candidateId: string; informationTypeId: string; confidence: number | null }[];
  confidence: number | null;
  confidenceInWords: string | null;
  band: string;
  summary: string;
  askedBecause: string;
  expectation: { answered: number; yours: number; explanation: string } | null;
  earlierAnswer: {
    decisionId: string;
    decision: string;
    decidedAt: string;
    changes: { kind: string; explanation: string }[];
  } | null;
  status: string;
  revision: number;
  value: number;
  riskSeverity: string | null;
  relatedCount: number;
  reasons: { part: string; points: number; explanation: string }[];
};
type Related = Pick<Candidate, 'candidateId' | 'assetId' | 'informationTypeId' | 'confidence' | 'status'> & {
  kind: string;
  similarity: number;
};
type Answer = {
  candidateId: string;
  decision: string;
  status: string;
  revision: number;
  assertionId: string;
};
type Statement = {
  assertionId: string;
  kind: string;
  statement: string;
  domainId: string;
  informationTypeId: string | null;
  decision: string | null;
  answersAssertionId: string | null;
};
type Evidence = Pick<Detail, 'summary' | 'inference' | 'signals' | 'excerpts'>;
type Detail = Candidate & {
  informationTypeDefinition: string | null;
  answer: {
    decisionId: string;
    decision: string;
    contentVersion: string | null;
    isAboutPresentContent: boolean;
    evidence: Evidence | null;
  } | null;
  inference: {
    inferenceId: string;
    confidence: number;
    contributions: {
      name: string;
      explanation: string;
      direction: string;
      value: number;
      evidence: Record<string, unknown>;
    }[];
  } | null;
  signals: object[];
  provenance: { items: Statement[] };
  decisions: {
    items: {
      decision: string;
      note: string | null;
      revision: number;
      candidateId: string | null;
      principalId: string | null;
    }[];
  };
  excerpts: object[];
  related: { items: Related[]; truncated: boolean };
};

/** The excerpts of every asset that `ask` creates. */
export const EXCERPTS = [{ detectorId: 'iban', text: 'IBAN DE•• •••• 3000' }];

export const said = (domainId: string, informationTypeId: string, confidence = 0.9): Said => ({
  domainId,
  informationTypeId,
  confidence,
});
export const invoices = (confidence?: number) => said('dom_finance', 'ift_invoices', confidence);
export const payroll = (confidence?: number) => said('dom_human_resources', 'ift_payroll', confidence);

export const candidatePath = (candidateId: string) => `/api/review/candidates/${candidateId}`;
export const decide = (caller: SignedIn, candidateId: string, body: object) =>
  caller.post<Answer>(`${candidatePath(candidateId)}/decision`, body);
export const decided = async (caller: SignedIn, candidateId: string, body: object) => {
  const { status, body: answer } = await decide(caller, candidateId, body);
  expect([status, answer]).toMatchObject([200, { candidateId }]);
  return answer;
};

export const detailOf = async (caller: SignedIn, candidateId: string) => {
  const { status, body } = await caller.get<Detail>(candidatePath(candidateId));
  expect(status).toBe(200);
  return body;
};

export const queueOf = async (caller: SignedIn, query = '') => {
  const { status, body } = await caller.get<{ items: Candidate[]; truncated: boolean }>(
    `/api/review/queue${query}`,
  );
  expect(status).toBe(200);
  return body.items;
};

/** Questions in the development tenant, and the stored data about them. */
export function reviewIn(database: TestDatabase) {
  let made = 0;
  /** @param typeId null for any */
  const candidateOf = async (assetId: string, domainId: string, typeId: string | null = null) => {
    const [row] = await database.inspect<{ candidate_id: string }>(sql`
      select candidate_id from candidates where tenant_id = ${DEV} and asset_id = ${assetId} and domain_id = ${domainId}
         and (${typeId}::text is null or information_type_id = ${typeId})
       order by candidate_id limit 1`);
    expect(row).toBeDefined();
    return row?.candidate_id ?? '';
  };
  /** Creates an asset with one candidate and returns both ids. */
  const ask = async (question: Said = invoices()) => {
    const assetId = `ast_asked_${made++}`;
    await storeScanned(database.db, DEV, [{ assetId, said: [question], excerpts: EXCERPTS }]);
    return { assetId, candidateId: await candidateOf(assetId, question.domainId) };
  };
  const inferAgain = (assetId: string, key: string, statements: readonly Said[]) =>
    withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) => infer(tx, assetId, key, statements));
  const rows = async (table: 'decisions' | 'assertions' | 'inferences', assetId: string) =>
    (
      await database.inspect<{ row: object }>(
        sql`select to_jsonb(t) as row from ${sql.ident(table)} t where asset_id = ${assetId} order by created_at`,
      )
    ).map(({ row }) => row);
  const audited = async (candidateId: string) =>
    (
      await database.inspect<{ record: string }>(sql`
        select record from audit_events where tenant_id = ${DEV} and category = 'review' and record like ${`%${candidateId}%`}
         order by seq`)
    ).map(({ record }) => JSON.parse(record).event);
  return { ask, candidateOf, inferAgain, rows, audited };
}
