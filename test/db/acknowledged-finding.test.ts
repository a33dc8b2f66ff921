import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { FindingStatus } from '../../core/findings/next-status.ts';
import { storeRisks } from '../../core/findings/risk.sql.ts';
import { storeScanned } from '../support/assets.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 1 });
});
afterAll(() => database.drop());

const NEXT: readonly FindingStatus[] = ['acknowledged', 'reopened', 'resolved'];

test.each(NEXT)('an acknowledged finding that is judged again can be %s', async (status) => {
  const assetId = `ast_${status}`;
  await storeScanned(database.db, DEV, [{ assetId }]);
  const judged = (finding: { severity: 'high' | 'low'; status: FindingStatus }) =>
    withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) =>
      storeRisks(
        tx,
        [
          {
            assetId,
            components: [],
            findings: [{ kind: 'label', notes: finding.severity, acknowledgedDecisionId: null, ...finding }],
            answer: null,
          },
        ],
        Date.now(),
      ),
    );
  await judged({ severity: 'high', status: 'open' });
  await database.inspect(sql`
    update findings set status = 'acknowledged', acknowledged_by = ${PERSONA.financeOwner}, acknowledged_at = now()
     where asset_id = ${assetId}`);
  await judged({ severity: 'low', status });
  const rows = await database.inspect(sql`
    select status, severity, notes, acknowledged_by from findings where asset_id = ${assetId}`);
  const acknowledgedBy = status === 'acknowledged' ? PERSONA.financeOwner : null;
  expect(rows).toEqual([{ status, severity: 'low', notes: 'low', acknowledged_by: acknowledgedBy }]);
});
