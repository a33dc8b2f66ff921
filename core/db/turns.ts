import { ServiceError } from '../kernel/errors.ts';

/** How one waits for a connection. */
export type Claim = {
  /** Before those that are not, whoever came first. */
  readonly first: boolean;
  /** Whose connections are counted together. All but `requests` leave one to the others, where there are two. */
  readonly share: 'requests' | 'lists' | 'background';
  /** Whoever has waited so long, in milliseconds, is refused. */
  readonly waitMs: number;
  /** Whoever would wait behind so many of the same share is refused at once. */
  readonly mostWaiting: number;
};

export const CLAIMS = {
  /** Sign-in, sessions and whatever changes something. */
  decision: { first: true, share: 'requests', waitMs: 5_000, mostWaiting: 500 },
  list: { first: false, share: 'lists', waitMs: 2_000, mostWaiting: 200 },
  /** A page of an export that is under way: to break it off costs more than that it waits. */
  export: { first: false, share: 'lists', waitMs: 10_000, mostWaiting: Number.POSITIVE_INFINITY },
  /** Workers and timers, of which there are few. */
  background: { first: true, share: 'background', waitMs: 30_000, mostWaiting: Number.POSITIVE_INFINITY },
  /** Of a pool that nobody shares. */
  alone: { first: true, share: 'requests', waitMs: 30_000, mostWaiting: Number.POSITIVE_INFINITY },
} as const satisfies Record<string, Claim>;

type Waiting = { claim: Claim; go: () => void };

/**
 * Turns at so many connections: in the order of arrival, those that come first before the others, each share within what
 * it may hold. Nobody waits longer than their claim says.
 */
export class Turns {
  readonly #max: number;
  readonly #held: Record<Claim['share'], number> = { requests: 0, lists: 0, background: 0 };
  readonly #waiting = new Set<Waiting>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Resolves when it is one's turn; who has taken one gives it back. Throws `overloaded`. */
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
  new ServiceError('overloaded', 'The service has more to do than it can. Try again in a few seconds.');
