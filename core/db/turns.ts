import { ServiceError } from '../kernel/errors.ts';

/** How to wait for a connection. */
export type Claim = {
  /** Whether it comes before claims without this flag, regardless of arrival. */
  readonly first: boolean;
  /**
   * Claims of one share are counted together. Every share except `requests` must leave one connection free, if there
   * are at least two.
   */
  readonly share: 'requests' | 'lists' | 'background';
  /** Maximum wait in milliseconds. After that the claim is refused. */
  readonly waitMs: number;
  /** A claim is refused at once if this many of the same share already wait. */
  readonly mostWaiting: number;
};

export const CLAIMS = {
  /** Sign-in, sessions and everything that changes something. */
  decision: { first: true, share: 'requests', waitMs: 5_000, mostWaiting: 500 },
  list: { first: false, share: 'lists', waitMs: 2_000, mostWaiting: 200 },
  /** A page of a running export. Aborting the export would cost more than the wait. */
  export: { first: false, share: 'lists', waitMs: 10_000, mostWaiting: Number.POSITIVE_INFINITY },
  /** Workers and timers. There are few of them. */
  background: { first: true, share: 'background', waitMs: 30_000, mostWaiting: Number.POSITIVE_INFINITY },
  /** For a pool with a single user. */
  alone: { first: true, share: 'requests', waitMs: 30_000, mostWaiting: Number.POSITIVE_INFINITY },
} as const satisfies Record<string, Claim>;

type Waiting = { claim: Claim; go: () => void };

/**
 * Grants turns at a limited number of connections, in the order of arrival, `first` claims before others, and each
 * share within its limit. No wait exceeds the limit of its claim.
 */
export class Turns {
  readonly #max: number;
  readonly #held: Record<Claim['share'], number> = { requests: 0, lists: 0, background: 0 };
  readonly #waiting = new Set<Waiting>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Resolves when the caller may connect. The caller must `give` the turn back. Throws `overloaded`. */
  take(claim: Claim): Promise<void> {
    const { share, waitMs, mostWaiting } = claim;
    return new Promise((resolve, reject) => {
      const waiting = { claim, go: resolve };
      this.#waiting.add(waiting);
      this.#next();
      if (!this.#waiting.has(waiting)) return;
      const ahead = [...this.#waiting].filter((other) => other.claim.share === share).length - 1;
      if (ahead >= mostWaiting || waitMs <= 0) {
        this.#waiting.delete(waiting);
        reject(overloaded());
        return;
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(overloaded());
      }, waitMs);
      waiting.go = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  give({ share }: Claim): void {
    this.#held[share]--;
    this.#next();
  }

  #next(): void {
    for (const isFirst of [true, false]) {
      for (const waiting of this.#waiting) {
        const { first, share } = waiting.claim;
        if (first !== isFirst || !this.#hasPlace(share)) continue;
        this.#waiting.delete(waiting);
        this.#held[share]++;
        waiting.go();
      }
    }
  }

  #hasPlace(share: Claim['share']): boolean {
    const { requests, lists, background } = this.#held;
    if (requests + lists + background >= this.#max) return false;
    return share === 'requests' || this.#held[share] < Math.max(1, this.#max - 1);
  }
}

export const overloaded = () =>
  new ServiceError('overloaded', 'The service is overloaded. Try again in a few seconds.');

export const closed = () =>
  new ServiceError('overloaded', 'The service waits for its database. Try again in a few seconds.');
