import type { Shortfall } from './bounded-text.ts';
import type { Extraction, Extractor, FileHead, UnreadReason, UnsupportedReason } from './extractor.ts';
import { MIN_PICTURE_PIXELS, pictureHead } from './image/picture-head.ts';

/** The reason that is given for several parts is the first of these that one of them has. */
const REASONS: readonly string[] = [
  'member_bound',
  'encrypted',
  'damaged',
  'ocr_off',
  'unknown_format',
  'unknown_encoding',
];

/** One that is not in the list, such as `output_bound`, comes before all of them. */
const firstOf = <R extends string>(known: R | null, reason: R): R =>
  known !== null && REASONS.indexOf(known) <= REASONS.indexOf(reason) ? known : reason;

/** The pages of one file, and the files inside it, that were not read or not wholly. */
export class UnreadParts {
  #parts = 0;
  #reason: UnreadReason | null = null;
  /** Pictures that are too small to count beside text. */
  #icons = 0;

  note(reason: UnreadReason, parts = 1): void {
    this.#parts += parts;
    this.#reason = firstOf(this.#reason, reason);
  }

  /** Notes how a file inside ended. */
  noteFile(outcome: Extraction, { bytes, shortfall = null }: FileHead): void {
    const reason = unreadReason(outcome) ?? (shortfall && reasonOf(shortfall));
    if (reason === null) return;
    const head = reason === 'ocr_off' ? pictureHead(bytes) : null;
    if (head !== null && head.width * head.height < MIN_PICTURE_PIXELS) this.#icons++;
    else this.note(reason, ('unreadParts' in outcome ? outcome.unreadParts : undefined) ?? 1);
  }

  /**
   * The outcome of a file with these parts. It is `partial`, or `unsupported` if nothing of the file was read. An
   * archive is `partial` in any case, because its list of files was read.
   */
  applyTo(outcome: Extraction, { kind }: Extractor): Extraction {
    if (outcome.state !== 'available' && outcome.state !== 'partial') return outcome;
    const { isBlank, ...shown } = outcome;
    if (isBlank && this.#icons > 0) this.note('ocr_off', this.#icons);
    if (this.#reason === null) return shown;
    const reason = firstOf(shown.reason, this.#reason);
    const unreadParts = this.#parts;
    return isBlank && kind !== 'archive' && isUnsupported(reason)
      ? { ...shown, state: 'unsupported', reason, unreadParts }
      : { ...shown, state: 'partial', reason, unreadParts };
  }
}

export const reasonOf = (shortfall: Shortfall): UnreadReason =>
  shortfall === 'inflated_bound' ? 'member_bound' : shortfall;

/** Null if the file was read, or if the text around it is full. */
function unreadReason({ state, reason }: Extraction): UnreadReason | null {
  if (reason === null || reason === 'output_bound') return null;
  if (state !== 'failed') return reason as UnreadReason;
  return reason === 'corrupt' ? 'damaged' : 'member_bound';
}

const isUnsupported = (reason: string): reason is UnsupportedReason =>
  reason === 'encrypted' || reason === 'ocr_off' || reason === 'unknown_format';
