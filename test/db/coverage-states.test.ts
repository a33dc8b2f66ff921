import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import type { PrincipalId, ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { NOTHING_LEFT_OUT } from '../../core/narrowing/left-out.ts';
import { replaceRules } from '../../core/narrowing/scan-rules.sql.ts';
import { completeLook, invalidateCursor } from '../../core/scan/inventory.sql.ts';
import { recordRefusal } from '../../core/scan/refused-scope.sql.ts';
import {
  COVERAGE_TRANSITIONS,
  CURSOR_TRANSITIONS,
  type LookTrigger,
} from '../../core/sources/coverage-states.ts';
import { beginEnd } from '../../core/sources/end-scope.sql.ts';
import { makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const TENANT = 'coverage' as TenantId;
const NOW = Date.UTC(2026, 0, 1);

let database: TestDatabase;
let scopeId: ScopeId;

beforeAll(async () => {
  database = await createTestDatabase();
  scopeId = await makeTenant(database, TENANT, NOW);
});
afterAll(() => database.drop());

const scope = () => ({ scopeId, family: 'm365' as const, narrowing: NOTHING_LEFT_OUT });
const look = { cursor: 'next', configVersion: 1 };
const HAPPENINGS: Readonly<Record<LookTrigger, (tx: Tx) => Promise<void>>> = {
  inventory_completed: (tx) => completeLook(tx, scope(), { ...look, coverage: 'baseline' }, NOW),
  delta_completed: (tx) => completeLook(tx, scope(), { ...look, coverage: 'delta' }, NOW),
  cursor_refused: (tx) => invalidateCursor(tx, scopeId),
  scope_refused: async (tx) => {
    await recordRefusal(tx, scopeId, { reason: 'not_found', unitId: 1, begins: true }, NOW);
  },
  scope_ended: (tx) => beginEnd(tx, scopeId, NOW),
  rules_changed: async (tx) => {
    await replaceRules(tx, [{ pattern: 'backup' }], { createdBy: 'somebody' as PrincipalId, now: NOW });
    await tx.query(sql`delete from scan_rules where tenant_id = ${TENANT}`);
  },
};

async function stateAfter(column: string, from: string | null, trigger: LookTrigger): Promise<unknown> {
  await database.inspect(sql`update scopes set ${sql.ident(column)} = ${from} where scope_id = ${scopeId}`);
  return withTx(database.db, { tenantId: TENANT, mode: 'write' }, async (tx) => {
    await HAPPENINGS[trigger](tx);
    const [scope] = await tx.query<{ state: string }>(sql`
      select ${sql.ident(column)} as state from scopes where scope_id = ${scopeId}`);
    return scope?.state;
  });
}

describe('what ends a look leads where the tables say', () => {
  test.each(COVERAGE_TRANSITIONS)('coverage: $from, $trigger', async ({ from, trigger, to }) => {
    expect(await stateAfter('coverage_state', from, trigger)).toBe(to);
  });

  test.each(CURSOR_TRANSITIONS)('cursor: $from, $trigger', async ({ from, trigger, to }) => {
    if (trigger === 'registered') {
      const [scope] = await database.inspect<{ initial: string }>(sql`
        select column_default as initial from information_schema.columns
         where table_name = 'scopes' and column_name = 'delta_cursor_status'`);
      expect(scope?.initial).toContain(`'${to}'`);
    } else {
      expect(await stateAfter('delta_cursor_status', from, trigger)).toBe(to);
    }
  });
});
