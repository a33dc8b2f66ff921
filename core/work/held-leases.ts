import { type Db, withQueueTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { leaseUnits } from './lease.sql.ts';
import { momentOf } from './moment.sql.ts';
import type { WorkUnit } from './unit.ts';

/** The leases of this process, shared by all its drains. */
export class HeldLeases {
  readonly #parts: { owner: string; db: Db; clock: Clock; leaseBatch: number };
  /**
   * Unit id to attempt, for attempts that are not settled yet. After a crash of the database server, or after a
   * settlement whose confirmation was lost, the same attempt can be leased again. A unit that is already running then
   * continues under the new lease.
   */
  readonly #attempts = new Map<number, number>();
  /** Runs one orphan at a time. If it kills this process, no other orphan loses an attempt. */
  #holdsOrphan = false;

  constructor(parts: { owner: string; db: Db; clock: Clock; leaseBatch: number }) {
    this.#parts = parts;
  }

  get holdsOrphan(): boolean {
    return this.#holdsOrphan;
  }

  /**
   * Leases due units, with one orphan first if there is one and this process has none.
   * @param most by default a batch
   */
  async lease(most = this.#parts.leaseBatch): Promise<WorkUnit[]> {
    const { owner, db, clock } = this.#parts;
    const orphans = this.#holdsOrphan ? 0 : 1;
    if (orphans > 0) this.#holdsOrphan = true;
    let leased: WorkUnit[] = [];
    try {
      // A crash of the server may undo this commit. Nothing lasting depends on it: the writes of a unit wait for the
      // disk, and the lease is written before them.
      const units = await withQueueTx(db, { lasting: false, planned: 'once' }, (tx) =>
        leaseUnits(tx, owner, { units: most, orphans }, momentOf(clock)),
      );
      leased = units.filter(({ unitId, attempt }) => this.#attempts.get(unitId) !== attempt);
      for (const { unitId, attempt } of leased) this.#attempts.set(unitId, attempt);
      return leased;
    } finally {
      if (orphans > 0) this.#holdsOrphan = leased.some((unit) => unit.orphaned);
    }
  }

  letGo(units: readonly WorkUnit[]): void {
    for (const { unitId, attempt } of units)
      if (this.#attempts.get(unitId) === attempt) this.#attempts.delete(unitId);
  }

  letGoOfOrphan(): void {
    this.#holdsOrphan = false;
  }
}
