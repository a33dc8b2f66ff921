import { sql } from '../db/sql.ts';
import type { DetectorFamily, Signal } from '../detectors/detector.ts';

/** 0 public, 1 internal, 2 confidential, 3 restricted. */
export type Level = 0 | 1 | 2 | 3;

/** One thing that an asset is taken for. */
export type RiskClassification = {
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
/** Of `information_types t`. */
export const levelOfType = sql`array_position(${[...LEVEL_NAMES]}::text[], t.sensitivity) - 1`;
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

/** Whether an identifier is proven: its checksum is right, or it is a secret, which has the form of its issuer instead. */
const isProven = ({ family, tiers }: Pick<Signal, 'family' | 'tiers'>): boolean =>
  family === 'secret' || (tiers.checksum ?? 0) + (tiers.checksum_and_context ?? 0) > 0;

export const highestLevel = (levels: readonly (Level | null)[]): Level | null =>
  ([3, 2, 1, 0] as const).find((level) => levels.includes(level)) ?? null;

/** What proven identifiers make of an asset, whatever anybody says of it; null where there are none. */
export const provenLevel = (signals: SensitivityFacts['signals']): Level | null =>
  highestLevel(signals.filter(isProven).map(levelOfSignal));

/** What owners confirmed stands above what the model says; where neither speaks, what was found in the text does. */
export function sensitivityOf({ classifications, signals }: SensitivityFacts): Sensitivity | null {
  const known = classifications.flatMap((each) =>
    each.level === null ? [] : [{ ...each, level: each.level }],
  );
  const confirmed = highestLevel(known.filter((each) => each.confirmed).map((each) => each.level));
  if (confirmed !== null) {
    return {
      level: confirmed,
      confirmed: true,
      because: `An owner has confirmed that it is ${LEVEL_NAMES[confirmed]}.`,
    };
  }
  const [likeliest] = known.sort((a, b) => (b.confidence ?? 1) - (a.confidence ?? 1) || b.level - a.level);
  const level = highestLevel([likeliest?.level ?? null, ...signals.map(levelOfSignal)]);
  if (level === null) return null;
  const whose =
    level !== likeliest?.level
      ? 'It holds identifiers that make it'
      : likeliest.confidence === null
        ? 'A person named a type that is'
        : 'The model takes it for';
  return { level, confirmed: false, because: `${whose} ${LEVEL_NAMES[level]}; no owner has confirmed it.` };
}
