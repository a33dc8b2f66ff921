/** What every format reader implements. Extractors import the kernel and this file, nothing else of ours. */
export type ExtractionBounds = {
  /** Characters of text kept; past it the outcome is `partial`. */
  maxCharacters: number;
  /** Entries read of a container. */
  maxMembers: number;
  /** Bytes that one container may inflate to, all members together. */
  maxInflatedBytes: number;
};

export type Extraction =
  | {
      state: 'available' | 'partial';
      format: string;
      text: string;
      reason: null | 'output_bound' | 'member_bound' | 'damaged';
    }
  | { state: 'unsupported'; format: string; reason: 'unknown_format' | 'encrypted' }
  | { state: 'failed'; format: string; reason: 'corrupt' | 'size_bound' | 'time_bound' | 'memory_bound' };

/** What is known of a file before it is read. `name` helps only where bytes alone cannot tell (txt, csv, md, html, eml). */
export type FileHead = { name: string; mimeType: string | null; bytes: Uint8Array };

export type Extractor = {
  /** Low-cardinality, lower case: it labels the metric `extraction:<format>:<state>`. */
  readonly format: string;
  /** Part of the stage-cache key: raise it when the output for some file changes. */
  readonly version: number;
  /** True when the bytes (then the name) say it is this format. Cheap, never throws. */
  claims(file: FileHead): boolean;
  /** May throw: the pool maps it to `failed`/`corrupt`. */
  extract(file: FileHead, bounds: ExtractionBounds): Promise<Extraction>;
};
