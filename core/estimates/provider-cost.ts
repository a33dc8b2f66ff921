import { type AiProvider, MAX_TEXT_CHARACTERS } from '../ai/provider.ts';
import type { Config } from '../config/config.ts';
import type { DataHandlingProfile } from '../scan/asset-state.sql.ts';
import { keepsTextIn } from '../scan/keeps-text-in.ts';
import type { Figure } from './estimate-schema.ts';
import { missing } from './work-figures.ts';

/** The most tokens of one text to embed: a character of some scripts is one. */
const EMBEDDED_TOKENS = MAX_TEXT_CHARACTERS;
/** The most tokens of a second opinion: types and excerpts that are sent, and the answer. */
const ASKED_TOKENS = 12_000;
const ANSWERED_TOKENS = 1_000;
const PRICED_TOKENS = 1_000_000;
const DIGITS = 4;

type Settings = Pick<
  Config,
  'SVC_AI_PRICES' | 'SVC_AI_MONTHLY_CAP' | 'SVC_AI_SECOND_OPINION' | 'SVC_AI_SECOND_OPINIONS_PER_SCAN'
>;

/**
 * What the AI provider may charge for the contents that a scan reads: nothing at least, since they may have no text, and at
 * most the longest text of each and all second opinions, never above the cap of a month.
 */
export function costOf(
  reads: Figure,
  config: Settings,
  provider: Pick<AiProvider, 'mode' | 'model' | 'opinion'>,
  profile: DataHandlingProfile,
): Figure {
  if (provider.mode === 'mock' || keepsTextIn(profile, provider))
    return { low: 0, high: 0, basis: 'configuration', certainty: 'high', missing: null };
  const asks = config.SVC_AI_SECOND_OPINION ? provider.opinion : null;
  const embedding = config.SVC_AI_PRICES?.get(provider.model);
  const opinion = asks && config.SVC_AI_PRICES?.get(asks.model);
  if (embedding === undefined || opinion === undefined) return missing('no_prices');
  const cap = config.SVC_AI_MONTHLY_CAP ?? Number.POSITIVE_INFINITY;
  const contents = reads.high ?? Number.POSITIVE_INFINITY;
  const opinions = Math.min(contents, config.SVC_AI_SECOND_OPINIONS_PER_SCAN);
  const forOpinions = opinion
    ? opinions * (ASKED_TOKENS * opinion.input + ANSWERED_TOKENS * opinion.output)
    : 0;
  // No cost of each times no end of contents is no cost.
  const forTexts = embedding.input === 0 ? 0 : contents * EMBEDDED_TOKENS * embedding.input;
  const most = Math.min(cap, (forTexts + forOpinions) / PRICED_TOKENS);
  if (!Number.isFinite(most))
    return { low: 0, high: null, basis: 'prices', certainty: 'low', missing: reads.missing };
  return { low: 0, high: Number(most.toFixed(DIGITS)), basis: 'prices', certainty: 'low', missing: null };
}
