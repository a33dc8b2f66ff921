import type { Signal } from '../detectors/detector.ts';
import type { DetectorTitles } from '../detectors/on-demand.ts';
import { LEVEL_NAMES } from '../findings/sensitivity.ts';
import { foldersOf, nameOf, type Place } from '../inference/features.ts';
import type { Contribution, ContributionName } from '../inference/inference.ts';
import { quote, type Spellings } from '../inference/spellings.ts';
import { fold } from '../kernel/words.ts';
import type { Candidate } from './candidate-schema.ts';
import type { MaterialChange } from './material-change.ts';

/**
 * The evidence of a candidate in short: ids, counts, words of the approved taxonomy, and how the document spells some of
 * them.
 */
export type Basis = {
  /** The number of hits of each kind, and how many of them pass a checksum. */
  identifiers: { detectorId: string; count: number; checked: number }[];
  words: string[];
  /** Words that are in the text and mean some of `words`. Absent if no spelling is retained. */
  written?: string[];
  names: string[];
  folders: string[];
  isExpectedHere: boolean;
  /** The number of similar assets that owners have confirmed. */
  confirmed: number;
};

const MAX_KINDS = 4;
const MAX_WORDS = 3;
/** Below this confidence a matching checksum is not mentioned, because it may be chance. */
const CONFIDENT = 0.5;

/** The part of the contributions that the summary sentence mentions. Pure. */
export function basisOf(
  contributions: readonly Contribution[],
  signals: readonly Signal[],
  spellings?: Spellings | null,
): Basis {
  const byName = new Map(contributions.map((each) => [each.name, each]));
  const texts = (name: ContributionName, key: string): string[] => {
    const { value = 0, evidence = {} } = byName.get(name) ?? {};
    const found = evidence[key];
    return value > 0 && typeof found === 'object' ? [...found] : [];
  };
  const confirmed = (name: ContributionName) => Number(byName.get(name)?.evidence.confirmed ?? 0);
  const detectors = byName.get('detector_signals')?.evidence.detectors;
  const keywords = texts('indicator_keywords', 'keywords');
  const words = keywords.length > 0 ? keywords : texts('lexical_similarity', 'terms');
  const written = spellings == null ? [] : quote(words, spellings.text).words;
  return {
    identifiers: signals
      .filter(({ detectorId }) => typeof detectors === 'object' && detectors.includes(detectorId))
      .map(({ detectorId, count, confidence, tiers }) => ({
        detectorId,
        count,
        checked:
          confidence < CONFIDENT
            ? 0
            : (tiers.checksum ?? 0) + (tiers.checksum_of_many ?? 0) + (tiers.checksum_and_context ?? 0),
      }))
      .sort((a, b) => b.checked - a.checked || b.count - a.count || (a.detectorId < b.detectorId ? -1 : 1))
      .slice(0, MAX_KINDS),
    words: words.slice(0, MAX_WORDS),
    ...(written.length > 0 && { written: written.slice(0, MAX_WORDS) }),
    names: texts('name_and_path', 'name'),
    folders: texts('name_and_path', 'path'),
    isExpectedHere: (byName.get('location_expectation')?.value ?? 0) > 0,
    confirmed: confirmed('confirmed_copies') + confirmed('confirmed_near_copies'),
  };
}

/**
 * One sentence that says why a question is asked. What it quotes is in the name, the folders or the text, spelled as
 * there, and is quoted once.
 * @param titles of the built-in detectors. A tenant's own detector is named by its id.
 */
export function summarize(
  {
    informationTypeName,
    domainName,
    band,
    askedBecause,
  }: Pick<Candidate, 'informationTypeName' | 'domainName' | 'band' | 'askedBecause'>,
  basis: Basis | null,
  place: Place,
  titles: DetectorTitles,
): string {
  const what = informationTypeName ?? domainName;
  if (band === 'routed') {
    if (askedBecause === 'content_changed')
      return `An owner has said that it is ${what}; its content has changed since.`;
    return informationTypeName === null
      ? `Somebody of another domain says that it belongs to ${what}.`
      : `A correction says that it is ${what}.`;
  }
  if (basis === null) return `The model tells no reasons why it is ${what}.`;
  const named = quote(basis.names, nameOf(place)).words.slice(0, MAX_WORDS);
  const placed = without(quote(basis.folders, foldersOf(place)).words, named).slice(0, MAX_WORDS);
  const written = without(basis.written ?? [], [...named, ...placed]);
  const meant = basis.written === undefined ? basis.words : [];
  const reasons = [
    identifiers(basis.identifiers, titles),
    quoted(written, 'in its text'),
    meant.length > 0 ? `words in its text that mean ${meant.join(', ')}` : null,
    quoted(named, 'in its name'),
    quoted(placed, 'in its folders'),
    basis.isExpectedHere ? 'a place where such documents are expected' : null,
  ].filter((each) => each !== null);
  const like =
    basis.confirmed === 0
      ? ''
      : `; like ${basis.confirmed} ${basis.confirmed > 1 ? 'others' : 'other'} that owners confirmed`;
  return `Looks like ${what}: ${reasons.length > 0 ? reasons.join(', ') : 'its text resembles the definition'}${like}.`;
}

/** The sentence of an open question about the representative of a group. */
export const summarizeRepresentative = ({
  informationTypeName,
  domainName,
  relatedCount,
}: Pick<Candidate, 'informationTypeName' | 'domainName' | 'relatedCount'>): string =>
  `Nobody has been asked about ${relatedCount} assets like this one; the model is not sure of any domain. The likeliest is ${informationTypeName ?? domainName}.`;

function identifiers(found: Basis['identifiers'], titles: DetectorTitles): string | null {
  const phrase = (all: Basis['identifiers'], count: number, ending: string) =>
    count === 0
      ? null
      : `${count} ${count > 1 ? 'identifiers' : 'identifier'}${ending} (${all.map(({ detectorId }) => titles.get(detectorId) ?? detectorId).join(', ')})`;
  const checked = found.filter((each) => each.checked > 0);
  const sum = (all: Basis['identifiers'], of: 'count' | 'checked') =>
    all.reduce((total, each) => total + each[of], 0);
  const proven = sum(checked, 'checked');
  return (
    phrase(checked, proven, proven > 1 ? ' that pass their checksums' : ' that passes its checksum') ??
    phrase(found, sum(found, 'count'), '')
  );
}

const quoted = (words: readonly string[], where: string): string | null =>
  words.length === 0
    ? null
    : `the ${words.length > 1 ? 'words' : 'word'} ${words.map((word) => `“${word}”`).join(', ')} ${where}`;

function without(words: readonly string[], others: readonly string[]): string[] {
  const folded = new Set(others.map(fold));
  return words.filter((word) => !folded.has(fold(word)));
}

/** What has changed since an answer, in a sentence. */
export function explainChange(change: MaterialChange, titles: DetectorTitles): string {
  switch (change.kind) {
    case 'new_identifiers':
      return `It now holds identifiers of kinds that it did not hold: ${change.detectorIds.map((id) => titles.get(id) ?? id).join(', ')}.`;
    case 'more_sensitive':
      return `It now looks ${LEVEL_NAMES[change.level]}; it was judged as ${LEVEL_NAMES[change.judgedLevel]}.`;
    case 'other_type':
      return 'It now looks like another information type than those that were suggested then.';
    case 'text_replaced':
      return 'Its text has changed by more than half.';
    case 'text_not_comparable':
      return 'Its text has changed, and is too short to tell by how much.';
  }
}
