import type { AboutText } from '../kernel/about-text.ts';
import type { BoundedText, Shortfall } from './bounded-text.ts';
import type { Ocr } from './ocr/ocr.ts';

/** The limits for one file, including the files inside it. */
export type ExtractionBounds = {
  /** The most characters of text. A longer text is `partial`. */
  maxCharacters: number;
  /** The most entries read from containers. */
  maxMembers: number;
  /** The most bytes that containers may inflate to, over all members. */
  maxInflatedBytes: number;
  /** How many levels of embedded files are read. Deeper files are reported by name only. */
  maxDepth: number;
};

/** What is left of the limits for a file and all files inside it. Readers subtract what they use and stop at zero. */
export type ExtractionBudget = { members: number; inflatedBytes: number };

/**
 * What an extractor works with. `maxCharacters` limits this file alone. `budget` is shared with all files around and
 * inside it, so nested bombs cost no more than flat ones.
 */
export type ExtractionContext = {
  maxCharacters: number;
  budget: ExtractionBudget;
  /** Reads the text in pictures. Null if the deployment does not enable it. */
  ocr: Ocr | null;
  /**
   * Appends an embedded file of any format: its name on a line, then its text if it can be read within the bounds.
   * A file that is not read, or not wholly, makes the file around it `partial`.
   */
  embedded(file: FileHead, text: BoundedText): Promise<void>;
  /** Like `embedded`, for a file in a format that nothing reads. Its beginning is enough. */
  unreadFile(beginning: FileHead, text: BoundedText): Promise<void>;
  /** Notes parts, such as pages, that were not read. One if no number is given. */
  unread(reason: UnreadReason, parts?: number): void;
};

/**
 * Why a part of a file, or all of it, was not read. `ocr_off`: it is a picture, and `SVC_OCR` is off. `unknown_encoding`:
 * it was read, and its letters may be others, because the text is short and other encodings are about as likely.
 */
export type UnreadReason =
  | 'member_bound'
  | 'encrypted'
  | 'damaged'
  | 'ocr_off'
  | 'unknown_format'
  | 'unknown_encoding';

/** Why nothing of a file was read. */
export type UnsupportedReason = Extract<UnreadReason, 'encrypted' | 'ocr_off' | 'unknown_format'>;

/**
 * Why the text is incomplete. `partly_visible`: a database hides rows or values from the service. `sampled`: not all rows of
 * a table were read, as far as is known.
 */
type PartialReason = 'output_bound' | 'partly_visible' | 'sampled' | UnreadReason;

/** What is known of a file of which something was read, or only the names of its parts and its properties. */
type ReadParts = AboutText & {
  text: string;
  /** SHA-256 (hex) of the files inside, at any depth, in order. Bounded. Absent if there are none. */
  contains?: readonly string[];
  /** How many pages and files inside were not read, or not wholly. Absent if none is known. */
  unreadParts?: number;
};

export type Extraction =
  | ({
      state: 'available' | 'partial';
      format: string;
      reason: null | PartialReason;
      /** The text is only names of parts and properties. Readers say so, and `extract` acts on it and removes it. */
      isBlank?: true;
    } & ReadParts)
  | { state: 'unsupported'; format: string; reason: UnsupportedReason }
  | ({ state: 'unsupported'; format: string; reason: UnsupportedReason } & ReadParts)
  | { state: 'failed'; format: string; reason: 'corrupt' | 'size_bound' | 'time_bound' | 'memory_bound' };

/**
 * What is known of a file before it is read. `name` is used only if the bytes cannot identify the format (txt, csv,
 * md, html, eml).
 */
export type FileHead = {
  name: string;
  mimeType: string | null;
  bytes: Uint8Array;
  /** Whether it is the `TableSample` of a table of a database. Only a connector says so, never the file. */
  isTable?: boolean;
  /** Why the end is missing. Absent or null if it is not. */
  shortfall?: Shortfall | null;
};

/** What every extractor implements. */
export type Extractor = {
  /** Lower case and of low cardinality, because it labels the metric `extraction:<format>:<state>`. */
  readonly format: string;
  /** Part of the stage-cache key. Raise it when the output for some file changes. */
  readonly version: number;
  /**
   * `archive`: its list of files was read, even if no file was. `wrapper`: what an application stores around one
   * embedded file. `unread`: reported by name, or a picture; contains nothing. Otherwise: a document.
   */
  readonly kind?: 'archive' | 'wrapper' | 'unread';
  /** Whether the bytes, or else the name, identify this format. Cheap. Never throws. */
  claims(file: FileHead): boolean;
  /** Throws what `isDamage` knows if nothing can be read of damaged bytes. `extract` makes it `failed`/`corrupt`. */
  extract(file: FileHead, context: ExtractionContext): Promise<Extraction>;
};
