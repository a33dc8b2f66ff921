/**
 * Determines where a line of text needs a fraction bar, because in MathML the two parts of a fraction follow each
 * other directly.
 */
export class FractionBars {
  /** Depths of open fractions without a first part. */
  readonly #waiting: number[] = [];

  open(name: string, depth: number): void {
    if (name === 'mfrac') this.#waiting.push(depth);
  }

  /** Whether the element that ends at this depth is the first part of a fraction. */
  close(depth: number): boolean {
    const fraction = this.#waiting.at(-1);
    if (fraction === undefined || depth > fraction + 1) return false;
    this.#waiting.pop();
    return depth === fraction + 1;
  }
}
