/**
 * Whether an XML document reads as text or as data. It is data unless text and elements are mixed in one element, or
 * unless values are as long as paragraphs. Both are measured in characters of text.
 */
export class XmlForm {
  #mixed = 0;
  #long = 0;
  #all = 0;
  /** The text and the children of the open elements. */
  readonly #open: { characters: number; words: number; hasChild: boolean }[] = [];

  open(): void {
    const parent = this.#open.at(-1);
    if (parent !== undefined) parent.hasChild = true;
    this.#open.push({ characters: 0, words: 0, hasChild: false });
  }

  text(data: string): void {
    const words = data.split(/\s+/).filter((word) => word !== '');
    const element = this.#open.at(-1);
    if (element === undefined || words.length === 0) return;
    element.characters += data.length;
    element.words += words.length;
  }

  close(): void {
    const element = this.#open.pop();
    if (element === undefined) return;
    this.#all += element.characters;
    if (element.hasChild) this.#mixed += element.characters;
    else if (element.words >= PARAGRAPH_WORDS) this.#long += element.characters;
  }

  isDocument(): boolean {
    while (this.#open.length > 0) this.close();
    return this.#mixed > this.#all * MIXED_SHARE || this.#long > this.#all * LONG_SHARE;
  }
}

/** A value of so many words is a paragraph. */
const PARAGRAPH_WORDS = 20;
const MIXED_SHARE = 0.1;
const LONG_SHARE = 0.5;
