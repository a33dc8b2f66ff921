/** Flags of a link ([MS-OSHARED] 2.3.7.1). */
const HAS = { moniker: 0x1, place: 0x8, name: 0x10, frame: 0x80, monikerText: 0x100 };
const URL_MONIKER = 'e0c9ea79f9bace118c8200aa004ba90b';
const FILE_MONIKER = '0303000000000000c000000000000046';
const CLASS_BYTES = 16;
/** The range of cells and the class id, which precede the link. */
const START = 24;

/** The target of a link, the location in it, and its label. Of a broken link, what can be read. */
export function linkTexts(data: Buffer): string[] {
  const link = new LinkReader(data, START);
  link.word();
  const flags = link.word();
  const texts: string[] = [];
  if ((flags & HAS.name) !== 0) texts.push(link.text());
  if ((flags & HAS.frame) !== 0) link.text();
  if ((flags & HAS.moniker) !== 0) texts.push((flags & HAS.monikerText) !== 0 ? link.text() : link.moniker());
  if ((flags & HAS.place) !== 0) texts.push(link.text());
  return texts.filter((text) => text !== '');
}

class LinkReader {
  readonly #data: Buffer;
  #at: number;

  constructor(data: Buffer, at: number) {
    this.#data = data;
    this.#at = at;
  }

  word(): number {
    const bytes = this.#take(4);
    return bytes.length === 4 ? bytes.readUInt32LE(0) : 0;
  }

  text(): string {
    return untilZero(this.#take(this.word() * 2).toString('utf16le'));
  }

  moniker(): string {
    const kind = this.#take(CLASS_BYTES).toString('hex');
    if (kind === URL_MONIKER) return untilZero(this.#take(this.word()).toString('utf16le'));
    if (kind !== FILE_MONIKER) return '';
    this.#take(2);
    const path = untilZero(this.#take(this.word()).toString('latin1'));
    // Two words and five unused ones.
    this.#take(24);
    const wide = this.word() === 0 ? 0 : this.word();
    if (wide === 0) return path;
    this.#take(2);
    return this.#take(wide).toString('utf16le');
  }

  #take(size: number): Buffer {
    const taken = this.#data.subarray(this.#at, this.#at + size);
    this.#at += size;
    return taken;
  }
}

const untilZero = (text: string) => text.split('\0', 1)[0] ?? '';
