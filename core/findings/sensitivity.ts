import type { DetectorFamily, Signal } from '../detectors/detector.ts';

/** 0 public, 1 internal, 2 confidential, 3 restricted. */
export type Level = 0 | 1 | 2 | 3;

/** One thing that an asset is taken for. */
export type RiskClassification = {
  /** The domain that is asked, or that has answered. */
  domainId: string;
  /** What the type says, or 0 where an owner said that this one is not sensitive; null where nobody named a type. */
  level: Level | null;
  confirmed: boolean;
  /** The model's, 0 to 1; null where a person named the type. */
  confidence: number | null;
  /** Whether its domain is expected at the asset's scope, at others only, or nowhere in particular. */
  location: 'governed' | 'elsewhere' | 'anywhere';
};

/** How sensitive an asset is taken to be, whether a person has said so, and both in a sentence. */
export type Sensitivity = { level: Level; confirmed: boolean; because: string };

export type SensitivityFacts = {
  classifications: readonly RiskClassification[];
  signals: readonly Pick<Signal, 'family' | 'confidence' | 'tiers'>[];
};

export const LEVEL_NAMES = ['public', 'internal', 'confidential', 'restricted'] as const;
/** A signal that is surer than this has passed a check or stands in its context: samples never reach it. */
const SURE_SIGNAL = 0.8;
const FAMILY_LEVEL: Partial<Record<DetectorFamily, Level>> = {
  secret: 3,
  payment: 2,
  bank: 2,
  national_id: 2,
  tax_id: 2,
  health: 2,
};

export const isSure = ({ confidence }: Pick<Signal, 'confidence'>): boolean => confidence >= SURE_SIGNAL;

/** How sensitive an identifier that was found for sure makes an asset; null for one that was not, or that says nothing. */
export const levelOfSignal = (signal: Pick<Signal, 'family' | 'confidence'>): Level | null =>
  isSure(signal) ? (FAMILY_LEVEL[signal.family] ?? null) : null;

/**
 * Whether what was found for sure is proven: its checksum is right, or it is a secret, which has the form of its issuer
 * instead. Beside a hit that a word alone makes sure, a right checksum without a word may be chance.
 */
const isProven = ({ family, tiers }: Pick<Signal, 'family' | 'tiers'>): boolean =>
  family === 'secret' ||
  tiers.checksum_and_context !== undefined ||
  (tiers.checksum !== undefined && tiers.context === undefined);

export const highestLevel = (levels: readonly (Level | null)[]): Level | null =>
  ([3, 2, 1, 0] as const).find((level) => levels.includes(level)) ?? null;

/** What proven identifiers make of an asset, whatever anybody says of it; null where there are none. */
export const provenLevel = (signals: SensitivityFacts['signals']): Level | null =>
  highestLevel(signals.filter(isProven).map(levelOfSignal));

/**
 * How sensitive an asset is taken to be, by whose word: what owners confirmed stands above what the model says about the
 * questions that they answered. Questions that are open elsewhere count beside it. Without any of them what was found in
 * the text speaks. At most one that is confirmed, and one that is not.
 */
export function sensitivitiesOf({ classifications, signals }: SensitivityFacts): Sensitivity[] {
  const confirmed = classifications.filter((each) => each.confirmed && each.level !== null);
  const open = classifications.filter(
    (each) =>
      !each.confirmed && each.level !== null && !confirmed.some(({ domainId }) => domainId === each.domainId),
  );
  const level = highestLevel(confirmed.map((each) => each.level));
  const said = level === null ? [] : [{ level, confirmed: true, because: confirmedAs(level) }];
  const inferred = inferredSensitivity(open, confirmed.length > 0 ? [] : signals);
  return inferred === null ? said : [...said, inferred];
}

const confirmedAs = (level: Level): string => `An owner has confirmed that it is ${LEVEL_NAMES[level]}.`;

/** By the model's likeliest type, by what people named and nobody confirmed, or by identifiers, whichever is higher. */
function inferredSensitivity(
  open: readonly RiskClassification[],
  signals: SensitivityFacts['signals'],
): Sensitivity | null {
  const [likeliest] = open
    .filter((each) => each.confidence !== null)
    .sort((a, b) => (b.confidence ?? 0) - (a.confidence ?? 0) || (b.level ?? 0) - (a.level ?? 0));
  const named = open.filter((each) => each.confidence === null).map((each) => each.level);
  const level = highestLevel([likeliest?.level ?? null, ...named, ...signals.map(levelOfSignal)]);
  if (level === null) return null;
  const whose =
    level === likeliest?.level
      ? 'The model takes it for'
      : named.includes(level)
        ? 'A person named a type that is'
        : 'It holds identifiers that make it';
  return { level, confirmed: false, because: `${whose} ${LEVEL_NAMES[level]}; no owner has confirmed it.` };
}
