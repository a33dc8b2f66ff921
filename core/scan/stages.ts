import { performance } from 'node:perf_hooks';
import type { Stage } from '../kernel/vocabulary.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { StageOutcomes } from '../work/unit.ts';

/** The stages that read the source or derive from it. Inference follows them, in the transaction that writes. */
export type ReadingStage = Exclude<Stage, 'inference'>;

/** A digest of everything that each stage depends on. */
export type StageKeys = { readonly [S in ReadingStage]: string };

/** Runs the stages of one asset and records the outcome and duration of each. */
export class Stages {
  readonly outcomes: StageOutcomes = {};
  readonly #known: Partial<Record<Stage, string>>;
  readonly #metrics: Metrics;
  readonly #onFailure: (name: ReadingStage) => void;

  /**
   * @param known keys of the outcomes that are still valid
   * @param onFailure called with the stage that threw
   */
  constructor(
    known: Partial<Record<Stage, string>>,
    metrics: Metrics,
    onFailure: (name: ReadingStage) => void,
  ) {
    this.#known = known;
    this.#metrics = metrics;
    this.#onFailure = onFailure;
  }

  /** Whether the key is that of a valid outcome. */
  isKnown(name: ReadingStage, key: string): boolean {
    return this.#known[name] === key;
  }

  /** Runs a stage. Returns null without running it if its key has not changed. */
  async stage<T>(name: ReadingStage, key: string, run: () => Promise<T>): Promise<T | null> {
    if (this.isKnown(name, key)) {
      this.hit(name);
      return null;
    }
    const started = performance.now();
    const value = await this.attempt(name, run);
    this.computed(name, performance.now() - started);
    return value;
  }

  /** Runs the work of a stage, without an outcome. */
  async attempt<T>(name: ReadingStage, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      this.#onFailure(name);
      throw error;
    }
  }

  /** @param milliseconds the time that this took, if it needed the source */
  hit(name: ReadingStage, milliseconds?: number): void {
    this.#ended(name, 'cache_hit', milliseconds);
  }

  computed(name: ReadingStage, milliseconds: number): void {
    this.#ended(name, 'computed', milliseconds);
  }

  /** Whether every stage that has ended was a cache hit. */
  areAllHits(): boolean {
    return Object.values(this.outcomes).every((outcome) => outcome === 'cache_hit');
  }

  #ended(name: ReadingStage, outcome: 'computed' | 'cache_hit', milliseconds?: number): void {
    this.outcomes[name] = outcome;
    this.#metrics.count(`stage_outcome:${name}:${outcome}`);
    if (milliseconds !== undefined) this.#metrics.observe(`stage_latency_ms:${name}`, milliseconds);
  }
}
