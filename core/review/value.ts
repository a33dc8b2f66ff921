import type { Candidate } from './candidate-schema.ts';

/** What each part adds to the value of an answer. The database computes it (`band_points` and its siblings). */
type ValuePoints = Record<Candidate['reasons'][number]['part'], number> & {
  /** Whether like assets count in full. */
  inFull: boolean;
};

const ASKED: Readonly<Record<Candidate['band'], string>> = {
  routed: 'An owner of another domain, or a correction, names this domain',
  high: 'The model is sure of it',
  review: 'The model finds it likely',
};

const NOT_SURE = 'The model is not sure of any domain';

/** Why a question has its place in the queue. A part that adds no points is left out. */
export function explainValue(
  {
    askedBecause,
    band,
    riskSeverity,
    relatedCount,
  }: Pick<Candidate, 'askedBecause' | 'band' | 'riskSeverity' | 'relatedCount'>,
  points: ValuePoints,
): Candidate['reasons'] {
  const less = points.inFull ? '' : '. They count less, because the model is not sure';
  const isRepresentative = askedBecause === 'representative' && band !== 'routed';
  const all: Candidate['reasons'] = [
    { part: 'band', points: points.band, explanation: isRepresentative ? NOT_SURE : ASKED[band] },
    { part: 'risk', points: points.risk, explanation: `The risk of the asset is ${riskSeverity}` },
    {
      part: 'related',
      points: points.related,
      explanation: isRepresentative
        ? `Assets like it about which nobody has been asked: ${relatedCount}`
        : `Open questions about like assets, which an answer has scored again: ${relatedCount}${less}`,
    },
  ];
  return all.filter((reason) => reason.points !== 0);
}
