import { z } from 'zod';

/**
 * Where a figure comes from. `sample`: the first pages of a listing. `last_walk`: the last scans of the same scope.
 * `other_scans`: scans of the same source family. `counter`: what the source's own counter says. `prices`: what the
 * operator stated as prices. `configuration`: it follows from the settings alone.
 */
export const BASES = ['sample', 'last_walk', 'other_scans', 'counter', 'prices', 'configuration'] as const;
export type Basis = (typeof BASES)[number];

/** `high`: all of it was counted. `medium`: computed from much of the same. `low`: extrapolated from a part. */
export const CERTAINTIES = ['high', 'medium', 'low'] as const;
export type Certainty = (typeof CERTAINTIES)[number];

/**
 * Why a bound is missing. `listing_goes_on`: the source lists more than was looked at, and nothing says how much more.
 * `source_failed`: the source did not answer, and no scan of the scope has ended. `no_scan_to_compare`: no scan of the family has
 * ended. `no_prices`: `SVC_AI_PRICES` has no price of a model that the scan would ask.
 */
export const MISSING_REASONS = [
  'listing_goes_on',
  'source_failed',
  'no_scan_to_compare',
  'no_prices',
] as const;
export type MissingReason = (typeof MISSING_REASONS)[number];

/** The same in words. */
const WORDS: Readonly<Record<MissingReason, string>> = {
  listing_goes_on: 'The source lists more than was looked at, and nothing says how much more.',
  source_failed: 'The source did not answer, and no scan of this kind has ended to compare with.',
  no_scan_to_compare:
    'No scan of this kind of source has ended, so its speed is not known. Ask again after the first one.',
  no_prices: 'SVC_AI_PRICES has no price of a model that the scan would ask.',
};

export const FigureSchema = z.object({
  low: z.number().nullable().describe('At least; null if nothing is known'),
  high: z.number().nullable().describe('At most; null if nothing says how much'),
  basis: z.enum(BASES).nullable().describe('Where the figure comes from; null without one'),
  certainty: z.enum(CERTAINTIES).nullable().describe('How sure it is; null without a figure'),
  missing: z.enum(MISSING_REASONS).nullable().describe('Why a bound is null'),
  why: z.string().nullable().describe('In words: why a bound is null, or the range wide'),
});
/** `why`: if there is more to say than what is missing. */
export type Figure = Omit<z.infer<typeof FigureSchema>, 'why'> & { why?: string };

/** The figure as it is answered. */
export const inWords = (figure: Figure): z.infer<typeof FigureSchema> => ({
  ...figure,
  why: figure.missing === null ? (figure.why ?? null) : WORDS[figure.missing],
});

export const EstimateSchema = z.object({
  items: FigureSchema.describe('Items that the scan processes'),
  bytes: FigureSchema.describe('Bytes of content that it reads'),
  calls: FigureSchema.describe(
    'Calls of the connector to the source: pages of the listing, and the reads of each item',
  ),
  minutes: FigureSchema.describe(
    'Minutes from its start to its end, if nobody pauses it and no quiet hours come',
  ),
  cost: FigureSchema.describe('What the AI provider charges, in the currency of `SVC_AI_PRICES`'),
  sample: z
    .object({
      pages: z.int().describe('Pages of the listing that were read'),
      items: z.int().describe('Items in them'),
      leftOut: z.int().describe('Of these, items that the scan would leave out'),
      complete: z.boolean().describe('Whether these are all pages'),
    })
    .nullable()
    .describe('What the source listed for this estimate; null if it did not answer'),
});
export type Estimate = z.infer<typeof EstimateSchema>;
