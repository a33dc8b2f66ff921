import { Damaged } from '../damage.ts';

/** Reads chunks as a stream of bytes, holding no more than what is asked for at once. */
export class ByteStream {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #ahead: Uint8Array = new Uint8Array(0);
  /** What the chunks ended with. Thrown when the bytes before it are read. */
  #fault: { error: unknown } | null = null;
  #isEnded = false;
  #position = 0;

  constructor(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    this.#chunks = each(chunks);
  }

  /** How many bytes have been read. */
  get position(): number {
    return this.#position;
  }

  /** The next bytes without reading them: fewer at the end. */
  async peek(count: number): Promise<Buffer> {
    const pieces = [this.#ahead];
    let length = this.#ahead.length;
    while (length < count && !this.#isEnded) {
      const chunk = await this.#next();
      pieces.push(chunk);
      length += chunk.length;
    }
    if (pieces.length > 1) this.#ahead = Buffer.concat(pieces);
    return Buffer.from(this.#ahead.buffer, this.#ahead.byteOffset, Math.min(count, this.#ahead.length));
  }

  /** Reads up to this many bytes at once. Throws if the stream broke off where it is. */
  async take(count: number): Promise<Buffer> {
    const bytes = await this.peek(count);
    if (bytes.length === 0 && count > 0) this.#throwFault();
    this.#pass(bytes.length);
    return bytes;
  }

  /** Yields the next bytes in chunks. Throws `Damaged` if they are not all there. */
  async *part(count: number): AsyncGenerator<Uint8Array> {
    const end = this.#position + count;
    while (this.#position < end) {
      if (await this.#isAtEnd()) throw this.#fault?.error ?? new Damaged('stream_ends');
      const chunk = this.#ahead.subarray(0, end - this.#position);
      this.#pass(chunk.length);
      yield chunk;
    }
  }

  /** Yields all bytes that are left. */
  async *rest(): AsyncGenerator<Uint8Array> {
    while (!(await this.#isAtEnd())) {
      const chunk = this.#ahead;
      this.#pass(chunk.length);
      yield chunk;
    }
    this.#throwFault();
  }

  /** Reads on to this position, or to the end of the stream. */
  async skipTo(position: number): Promise<void> {
    while (this.#position < position && !(await this.#isAtEnd())) {
      this.#pass(Math.min(this.#ahead.length, position - this.#position));
    }
  }

  async #isAtEnd(): Promise<boolean> {
    while (this.#ahead.length === 0 && !this.#isEnded) this.#ahead = await this.#next();
    return this.#ahead.length === 0;
  }

  #pass(count: number): void {
    this.#ahead = this.#ahead.subarray(count);
    this.#position += count;
  }

  async #next(): Promise<Uint8Array> {
    try {
      const { done, value } = await this.#chunks.next();
      if (done !== true) return value;
    } catch (error) {
      this.#fault = { error };
    }
    this.#isEnded = true;
    return new Uint8Array(0);
  }

  #throwFault(): void {
    if (this.#fault !== null) throw this.#fault.error;
  }
}

async function* each<Chunk>(chunks: AsyncIterable<Chunk> | Iterable<Chunk>): AsyncGenerator<Chunk> {
  yield* chunks;
}
