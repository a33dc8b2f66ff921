export const CUSTOM_CHECKSUMS = ['none', 'luhn', 'mod97'] as const;

/** A tenant's declaration of a detector. */
export type CustomDefinition = {
  title: string;
  /** RE2 syntax, without look-around and back-references, so that the time is linear in the length of the text. */
  pattern: string;
  /** Words or phrases that count if one is near or in the column header. */
  context: readonly string[];
  /** Whether a match needs such a word. */
  contextRequired: boolean;
  /**
   * The check on the letters and digits of a match: the Luhn algorithm, or ISO 7064 mod 97-10 with the check digits
   * last.
   */
  checksum: (typeof CUSTOM_CHECKSUMS)[number];
  examples: { readonly hits: readonly string[]; readonly misses: readonly string[] };
};

export type CustomDetector = { detectorId: string; version: number; definition: CustomDefinition };
