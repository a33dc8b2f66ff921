import type { BoundedText } from './bounded-text.ts';
import type { Ocr } from './ocr/ocr.ts';

/** What one file may cost, the files inside it included. */
export type ExtractionBounds = {
  /** Characters of text kept; past it the outcome is `partial`. */
  maxCharacters: number;
  /** Entries read of containers. */
  maxMembers: number;
  /** Bytes that containers may inflate to, all members together. */
  maxInflatedBytes: number;
  /** Levels of files inside files that are read; what lies deeper is only named, and so is an archive in two others. */
  maxDepth: number;
};

/** What is left for a file and all files inside it: readers take from it what they use, and stop at zero. */
export type ExtractionBudget = { members: number; inflatedBytes: number };

/**
 * What a reader works with. `maxCharacters` is what this file may add; `budget` is shared with every file around and
 * inside it, so that nested bombs cost no more than flat ones.
 */
export type ExtractionContext = {
  maxCharacters: number;
  budget: ExtractionBudget;
  /** Reads the text in pictures; null where the deployment does not ask for that. */
  ocr: Ocr | null;
  /**
   * Appends a file inside this one, of whatever format: its name on a line, then its text if it can be read within
   * the bounds. Never rejects; a bound that it meets makes the whole outcome `partial`, its other troubles do not.
   */
  embedded(file: FileHead, text: BoundedText): Promise<void>;
};

/** Why there is less text than the file holds. `encrypted`: some members of an archive are, others are not. */
type PartialReason = 'output_bound' | 'member_bound' | 'damaged' | 'encrypted';

export type Extraction =
  | {
      state: 'available' | 'partial';
      format: string;
      text: string;
      /** What the file states as its title, wherever its text has it; absent where it states none. */
      title?: string;
      reason: null | PartialReason;
      /** SHA-256 in hex of the files inside, at any depth, in their order; bounded, absent when there are none. */
      contains?: readonly string[];
    }
  | { state: 'unsupported'; format: string; reason: 'unknown_format' | 'encrypted' }
  | { state: 'failed'; format: string; reason: 'corrupt' | 'size_bound' | 'time_bound' | 'memory_bound' };

/** What is known of a file before it is read. `name` helps only where bytes alone cannot tell (txt, csv, md, html, eml). */
export type FileHead = { name: string; mimeType: string | null; bytes: Uint8Array };

/** What every format reader implements. Readers import the kernel and each other, nothing else of ours. */
export type Extractor = {
  /** Low-cardinality, lower case: it labels the metric `extraction:<format>:<state>`. */
  readonly format: string;
  /** Part of the stage-cache key: raise it when the output for some file changes. */
  readonly version: number;
  /**
   * `archive`: a box of files, opened inside one other at most. `wrapper`: what an application puts around one file.
   * `unread`: only named, or a picture: nothing to go deeper into. Without it: a document.
   */
  readonly kind?: 'archive' | 'wrapper' | 'unread';
  /** True when the bytes (then the name) say it is this format. Cheap, never throws. */
  claims(file: FileHead): boolean;
  /** May throw: the pool maps it to `failed`/`corrupt`. */
  extract(file: FileHead, context: ExtractionContext): Promise<Extraction>;
};
