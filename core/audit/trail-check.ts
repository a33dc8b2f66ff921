import { type Checkpoint, checkpointDigest, type SignedCheckpoint, signedStatement } from './checkpoint.ts';
import {
  type BreakReason,
  type ChainHead,
  type ChainState,
  checkEvent,
  emptyChain,
  type StoredEvent,
} from './verify.ts';

/** Facts from outside of the trail. */
export type Anchors = {
  /** Ids of the keys that may have signed the newest checkpoint. Empty if they are unknown. */
  trustedKeys: ReadonlySet<string>;
  /** Former ends of the chain, from checkpoints that were kept elsewhere. */
  pinned: readonly ChainHead[];
};

/** The position in the chain where a trail breaks, and why. */
export type Break = { seq: number; reason: BreakReason };

/**
 * Checks a trail that it receives in order: events, each followed by the checkpoints that sign it. The methods that
 * return a break return null if the trail is valid so far. Do not call them again after a break. It keeps only the
 * last event and checkpoint.
 */
export class TrailCheck {
  readonly chain: ChainState = emptyChain();
  readonly tenantId: string;
  readonly #trustedKeys: ReadonlySet<string>;
  readonly #pinned: ReadonlyMap<number, readonly ChainHead[]>;
  #after: Checkpoint | null = null;
  #checkpoints = 0;
  #last: { statement: Checkpoint; digest: string } | null = null;

  constructor(tenantId: string, { trustedKeys, pinned }: Anchors) {
    this.tenantId = tenantId;
    this.#trustedKeys = trustedKeys;
    this.#pinned = Map.groupBy(pinned, ({ seq }) => seq);
  }

  /** The checkpoint after which the trail begins. Null if it begins with the first event. */
  get after(): Checkpoint | null {
    return this.#after;
  }

  /** Number of valid checkpoints, without the one after which the trail begins. */
  get checkpoints(): number {
    return this.#checkpoints;
  }

  /** The newest checkpoint so far, which can be the one after which the trail begins. */
  get lastCheckpoint(): Checkpoint | null {
    return this.#last?.statement ?? null;
  }

  /** Whether a checkpoint states the same as the newest one so far. Its signature is not checked. */
  isLast(signed: SignedCheckpoint): boolean {
    return this.#last?.digest === checkpointDigest(signed);
  }

  /** Begins the trail after a checkpoint. Call it before the other methods. */
  begin(signed: SignedCheckpoint): Break | null {
    const statement = this.#statementOf(signed);
    if (statement === null) return this.#forged();
    const { seq, hash } = statement;
    this.chain.head = { seq, hash };
    this.#after = statement;
    this.#last = { statement, digest: checkpointDigest(signed) };
    return this.#asPinned(this.chain.head);
  }

  event(event: StoredEvent): Break | null {
    const reason = checkEvent(this.chain, this.tenantId, event);
    return reason === null ? this.#asPinned(event) : { seq: this.chain.head.seq + 1, reason };
  }

  checkpoint(signed: SignedCheckpoint): Break | null {
    const { head } = this.chain;
    const statement = this.#statementOf(signed);
    if (statement === null) return this.#forged();
    const { seq } = statement;
    const last = this.#last;
    if (
      statement.number !== (last?.statement.number ?? 0) + 1 ||
      statement.previous !== (last?.digest ?? null)
    ) {
      return { seq, reason: 'checkpoint_gap' };
    }
    if (seq > head.seq) return { seq: head.seq + 1, reason: 'tail_cut' };
    if (seq < head.seq) return { seq, reason: 'checkpoint_gap' };
    if (statement.hash !== head.hash) return { seq, reason: 'checkpoint_mismatch' };
    this.#last = { statement, digest: checkpointDigest(signed) };
    this.#checkpoints++;
    return null;
  }

  /** Whether the trail has reached an end that was stated. */
  endsAt(stated: ChainHead): Break | null {
    const { head } = this.chain;
    return stated.seq === head.seq && stated.hash === head.hash
      ? null
      : { seq: head.seq + 1, reason: 'head_mismatch' };
  }

  /** Call it after the last item. */
  end(): Break | null {
    const { head } = this.chain;
    for (const seq of this.#pinned.keys()) {
      if (seq > head.seq) return { seq: head.seq + 1, reason: 'tail_cut' };
    }
    const last = this.lastCheckpoint;
    // The newest checkpoint confirms all earlier ones, so their keys may be unknown.
    if (last !== null && this.#trustedKeys.size > 0 && !this.#trustedKeys.has(last.keyId)) {
      return { seq: last.seq, reason: 'checkpoint_key_unknown' };
    }
    return null;
  }

  #statementOf(signed: SignedCheckpoint): Checkpoint | null {
    const statement = signedStatement(signed);
    return statement?.tenantId === this.tenantId ? statement : null;
  }

  #forged(): Break {
    return { seq: this.chain.head.seq, reason: 'checkpoint_forged' };
  }

  #asPinned({ seq, hash }: ChainHead): Break | null {
    const differs = this.#pinned.get(seq)?.some((pinned) => pinned.hash !== hash) === true;
    return differs ? { seq, reason: 'checkpoint_mismatch' } : null;
  }
}
