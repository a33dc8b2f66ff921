import { detectorSignals, NOTHING, type Scored, type Subject } from './contributions.ts';
import type { TermCounts } from './packed.ts';
import type { IndexedType } from './taxonomy-index.ts';

/**
 * `NO_TYPE`: log-odds of the case that the text belongs to no domain of the taxonomy. `RIVAL_SCALE`: the difference
 * in similarity that separates two domains.
 */
const NO_TYPE = 1.3;
const RIVAL_SCALE = 0.2;
/** What words that no rival has count, beside identifiers and approved words: they may be there by chance. */
const OWN_WORDS = 0.5;
/** Smaller differences that other domains make to a share are not looked into. */
const LEAST_CONTEST = 0.005;

/** A type with its similarity to an asset. */
type Similar = { indexed: IndexedType; domainId: string; similarity: number };

/**
 * How much closer the text is to a type than to all types of other domains together. 1: no other domain is close. 0:
 * the other domains together are as close. -1: another domain is much closer. Some domains are defined with many of
 * the same words: this contribution separates them. Types of the same domain do not compete. `NO_TYPE` stands for
 * everything that the taxonomy does not cover.
 *
 * A document can hold what two domains govern. So other domains count less, the more evidence a type has for which
 * domains do not compete: its identifiers, its approved words, and words that the other domains lack. Such evidence also
 * takes from a negative score, and strong identifiers from `NO_TYPE`: what they prove need not resemble a definition.
 *
 * If identifiers prove another domain beside the type, that domain and `NO_TYPE` count less. So one more column of a
 * table takes no question away.
 */
export function rivalDomains(
  subject: Pick<Subject, 'terms' | 'signals'>,
  similarities: readonly Similar[],
): (of: Similar, detectors: Scored, keywords: Scored) => Scored {
  if (similarities.every(({ similarity }) => similarity === 0)) return () => NOTHING;
  const nearest = similarities.reduce((most, { similarity }) => Math.max(most, similarity), NO_TYPE);
  const odds = (similarity: number) => Math.exp((similarity - nearest) / RIVAL_SCALE);
  const noType = odds(NO_TYPE);
  const ofDomains = new Map<string, number>();
  for (const { domainId, similarity } of similarities) {
    ofDomains.set(domainId, (ofDomains.get(domainId) ?? 0) + odds(similarity));
  }
  const others = new Map(
    [...ofDomains.keys()].map((domainId) => [
      domainId,
      [...ofDomains].reduce((sum, [other, each]) => (other === domainId ? sum : sum + each), 0),
    ]),
  );
  const besideOf = domainsBeside(subject, similarities);
  return (of, detectors, keywords) => {
    const own = 1 - (1 - detectors.score) * (1 - keywords.score);
    const odd = odds(of.similarity);
    const beside = besideOf(of);
    const proven = Math.max(0, ...beside.values());
    const none = noType * (1 - detectors.score ** 2) * (1 - proven);
    const rivals = [...beside].reduce(
      (sum, [domainId, strength]) => sum - strength * (ofDomains.get(domainId) ?? 0),
      others.get(of.domainId) ?? 0,
    );
    const alone = odd / (odd + none);
    const contested = odd / (odd + none + rivals);
    const isContested = alone - contested > LEAST_CONTEST;
    const apart = isContested
      ? 1 - (1 - own) * (1 - OWN_WORDS * unsharedWords(subject.terms, of, similarities))
      : 0;
    const uncontested = 2 * (contested + apart * (alone - contested)) - 1;
    const score = uncontested < 0 ? uncontested * (1 - own) : uncontested;
    return { score, evidence: { share: Math.round((score + 1) * 500) / 1_000 } };
  };
}

/**
 * The other domains that the document holds beside a type, as identifiers prove: it has some that only the one type
 * lists, and some that only a type of the other domain lists. With each domain, how strong both are.
 */
function domainsBeside(
  subject: Pick<Subject, 'signals'>,
  types: readonly Similar[],
): (of: Similar) => ReadonlyMap<string, number> {
  const found = subject.signals.map(({ detectorId }) => detectorId);
  const identified = types.filter(({ indexed }) => found.some((id) => indexed.detectors.has(id)));
  return (of) => {
    const beside = new Map<string, number>();
    if (!identified.includes(of)) return beside;
    const { indexed, domainId } = of;
    for (const other of identified) {
      if (other.domainId === domainId) continue;
      const own = detectorSignals(subject, indexed, other.indexed).score;
      const strength = Math.sqrt(own * detectorSignals(subject, other.indexed, indexed).score);
      if (strength > (beside.get(other.domainId) ?? 0)) beside.set(other.domainId, strength);
    }
    return beside;
  };
}

/** The share of the type's words in the text that no type of another domain has which is about as close or closer. */
function unsharedWords(counts: TermCounts, of: Similar, similarities: readonly Similar[]): number {
  const rivals = similarities.filter(
    ({ domainId, similarity }) => domainId !== of.domainId && similarity > of.similarity - 2 * RIVAL_SCALE,
  );
  let unshared = 0;
  let all = 0;
  for (const [hash, { weight }] of of.indexed.terms) {
    const count = counts.get(hash);
    if (count === undefined) continue;
    const strength = weight * Math.sqrt(count);
    all += strength;
    if (!rivals.some(({ indexed }) => indexed.terms.has(hash))) unshared += strength;
  }
  return all === 0 ? 0 : unshared / all;
}
