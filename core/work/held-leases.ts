import { type Db, withQueueTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { leaseUnits } from './lease.sql.ts';
import type { WorkUnit } from './unit.ts';

/** The leases of this process, all its drains together. */
export class HeldLeases {
  readonly #parts: { owner: string; db: Db; clock: Clock; leaseBatch: number };
  /**
   * Unit id to attempt, of attempts that are not settled yet. Where a crash of the server took a lease back, or a
   * settlement that was not heard of took effect, the same attempt is leased once more: what runs already goes on under
   * the new lease.
   */
  readonly #attempts = new Map<number, number>();
  /** One orphan at a time: if it kills this process too, none of its earlier neighbours pays for it again. */
  #holdsOrphan = false;

  constructor(parts: { owner: string; db: Db; clock: Clock; leaseBatch: number }) {
    this.#parts = parts;
  }

  get holdsOrphan(): boolean {
    return this.#holdsOrphan;
  }

  /** A batch of due units, an orphan first if there is one and this process has none. */
  async lease(): Promise<WorkUnit[]> {
    const { owner, db, clock, leaseBatch } = this.#parts;
    const orphans = this.#holdsOrphan ? 0 : 1;
    if (orphans > 0) this.#holdsOrphan = true;
    let leased: WorkUnit[] = [];
    try {
      // Of a lease that a crash of the server takes back nothing lasting was made: its unit's writes wait for the disk,
      // and with them the lease before them.
      const units = await withQueueTx(db, { lasting: false, planned: 'once' }, (tx) =>
        leaseUnits(tx, owner, { units: leaseBatch, orphans }, clock()),
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
