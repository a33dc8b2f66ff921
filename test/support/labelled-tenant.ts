import { expect } from 'vitest';
import type { DatasetCandidate } from '../../core/models/dataset-candidates.sql.ts';
import { type SignedIn, startService, type TestService } from './client.ts';
import type { TestDatabase } from './database.ts';
import { PERSONA } from './seed.ts';
import { createScannedDatabase } from './seeded-database.ts';

type List<T> = { items: T[] };

export type LabelledTenant = {
  database: TestDatabase;
  service: TestService;
  proposer: SignedIn;
  approver: SignedIn;
};

/**
 * A service whose development tenant is scanned. An owner has answered their first `questions`, every `refusedEvery`th with
 * `not_a_match`, and the labels are approved. The caller closes the service and drops the database.
 */
export async function createLabelledTenant(questions: number, refusedEvery: number): Promise<LabelledTenant> {
  const database = await createScannedDatabase();
  const service = await startService(database);
  const proposer = await service.signInAs(PERSONA.governanceAdmin);
  const approver = await service.signInAs(PERSONA.secondGovernanceAdmin);
  const owner = await service.signInAs(PERSONA.peopleOwner);
  const queue = (await owner.get<List<{ candidateId: string }>>('/api/review/queue')).body.items;
  for (const [n, { candidateId }] of queue.slice(0, questions).entries()) {
    const decision = n % refusedEvery === refusedEvery - 1 ? 'not_a_match' : 'mine';
    const body = { decision, trainingEligible: true };
    expect((await owner.post(`/api/review/candidates/${candidateId}/decision`, body)).status).toBe(200);
    service.clock.advance(1_000);
  }
  await service.drain();
  const labels = '/api/models/dataset-candidates';
  for (const { datasetCandidateId } of (await proposer.get<List<DatasetCandidate>>(labels)).body.items) {
    const path = `${labels}/${datasetCandidateId}/decide`;
    expect((await proposer.post(path, { decision: 'approved' })).status).toBe(200);
  }
  return { database, service, proposer, approver };
}
