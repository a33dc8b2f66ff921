/** The last samples of one series, oldest overwritten first. */
export class SampleWindow {
  readonly #samples: Float64Array;
  #count = 0;

  constructor(capacity: number) {
    this.#samples = new Float64Array(capacity);
  }

  add(sample: number): void {
    this.#samples[this.#count % this.#samples.length] = sample;
    this.#count++;
  }

  /** Nearest-rank percentiles and the greatest of the window; `count` is of all samples ever added. */
  report(): { count: number; p50: number; p95: number; max: number } {
    const sorted = this.#samples.slice(0, Math.min(this.#count, this.#samples.length)).sort();
    const rank = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
    return { count: this.#count, p50: rank(0.5), p95: rank(0.95), max: rank(1) };
  }
}
