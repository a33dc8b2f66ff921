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
 * Checks a trail that it receives in order: events, each followed by the checkpoints that sign it. Each method
 * returns null if the trail is valid so far. Do not call it again after a break. It keeps only the last event and
 * checkpoint.
 */
export class TrailCheck {
  readonly chain: ChainState = emptyChain();
  readonly #tenantId: string;
  readonly #trustedKeys: ReadonlySet<string>;
  readonly #pinned: ReadonlyMap<number, readonly ChainHead[]>;
  #checkpoints = 0;
  #last: { statement: Checkpoint; digest: string } | null = null;

  constructor(tenantId: string, { trustedKeys, pinned }: Anchors) {
    this.#tenantId = tenantId;
    this.#trustedKeys = trustedKeys;
    this.#pinned = Map.groupBy(pinned, ({ seq }) => seq);
  }

  /** Number of valid checkpoints. */
  get checkpoints(): number {
    return this.#checkpoints;
  }

  get lastCheckpoint(): Checkpoint | null {
    return this.#last?.statement ?? null;
  }

  event(event: StoredEvent): Break | null {
    const reason = checkEvent(this.chain, this.#tenantId, event);
    if (reason !== null) return { seq: this.chain.head.seq + 1, reason };
    const differs = this.#pinned.get(event.seq)?.some(({ hash }) => hash !== event.hash) === true;
    return differs ? { seq: event.seq, reason: 'checkpoint_mismatch' } : null;
  }

  checkpoint(signed: SignedCheckpoint): Break | null {
    const { head } = this.chain;
    const statement = signedStatement(signed);
    if (statement === null || statement.tenantId !== this.#tenantId) {
      return { seq: head.seq, reason: 'checkpoint_forged' };
    }
    const { seq } = statement;
    const last = this.#last;
    if (statement.number !== this.#checkpoints + 1 || statement.previous !== (last?.digest ?? null)) {
      return { seq, reason: 'checkpoint_gap' };
    }
    if (seq > head.seq) return { seq: head.seq + 1, reason: 'tail_cut' };
    if (seq < head.seq) return { seq, reason: 'checkpoint_gap' };
    if (statement.hash !== head.hash) return { seq, reason: 'checkpoint_mismatch' };
    this.#last = { statement, digest: checkpointDigest(signed) };
    this.#checkpoints++;
    return null;
  }

  /** Call it after the last item. `recorded` is the end that the trail states. */
  end(recorded: ChainHead): Break | null {
    const { head } = this.chain;
    if (recorded.seq !== head.seq || recorded.hash !== head.hash) {
      return { seq: head.seq + 1, reason: 'head_mismatch' };
    }
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
}
