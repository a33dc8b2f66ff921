import type { Role } from '../authz/capabilities.ts';
import type { Tx } from '../db/tx.ts';
import type { By } from './by.ts';
import { insertGrant } from './people.sql.ts';

/** Gives somebody else a role; granted before, it stays as it is. The database refuses a role for the caller. */
export async function grantRole(
  tx: Tx,
  { principal, audit, now }: By,
  principalId: string,
  role: Role,
): Promise<void> {
  const isNew = await insertGrant(tx, { principalId, role, grantedBy: principal.principalId }, now);
  if (isNew)
    audit({
      category: 'config',
      type: 'role_granted',
      target: { kind: 'principal', id: principalId },
      details: { role },
    });
}
