import { type DetectorFamily, type Signal, SURE_CONFIDENCE } from '../detectors/detector.ts';

/** 0 public, 1 internal, 2 confidential, 3 restricted. */
export type Level = 0 | 1 | 2 | 3;

/** One classification of an asset. */
export type RiskClassification = {
  /** The domain that is asked or has answered. For a routed asset, the receiving domain. */
  domainId: string;
  /** The level of the type, or 0 if an owner confirmed the asset as not sensitive. Null if nobody named a type. */
  level: Level | null;
  confirmed: boolean;
  /** The model's confidence, 0 to 1. Null if a person named the type. */
  confidence: number | null;
  /**
   * Whether the asset's scope is the one where its domain is expected, the domain is expected only at others, or at
   * none.
   */
  location: 'governed' | 'elsewhere' | 'anywhere';
};

/** The level of an asset, whether an owner has confirmed it, and a sentence that says both. */
export type Sensitivity = { level: Level; confirmed: boolean; because: string };

export type SensitivityFacts = {
  classifications: readonly RiskClassification[];
  signals: readonly RiskSignal[];
};

/** A signal as risk sees it. */
export type RiskSignal = Pick<Signal, 'detectorId' | 'family' | 'count' | 'confidence' | 'tiers' | 'columns'>;

export const LEVEL_NAMES = ['public', 'internal', 'confidential', 'restricted'] as const;
/**
 * A type of a domain counts if its odds are at least this share of those of the domain's likeliest type. Otherwise more
 * evidence for a harmless type would hide a sensitive one that is nearly as likely.
 */
const ABOUT_AS_LIKELY = 0.1;
/** Columns of a table that a note names. */
const MAX_COLUMNS = 3;
const MAX_COLUMN_NAME = 64;
const FAMILY_LEVEL: Partial<Record<DetectorFamily, Level>> = {
  secret: 3,
  payment: 2,
  bank: 2,
  national_id: 2,
  tax_id: 2,
  health: 2,
};

export const isSure = ({ confidence }: Pick<Signal, 'confidence'>): boolean => confidence >= SURE_CONFIDENCE;

/** The level that a sure signal implies. Null if the signal is not sure, or if its family implies no level. */
export const levelOfSignal = (signal: Pick<Signal, 'family' | 'confidence'>): Level | null =>
  isSure(signal) ? (FAMILY_LEVEL[signal.family] ?? null) : null;

/**
 * Whether a sure signal is proven: its checksum is correct, or it is a secret, whose format identifies its issuer. If
 * some hits are sure only by a context word, a correct checksum without a context word may be chance.
 */
const isProven = ({ family, tiers }: Pick<Signal, 'family' | 'tiers'>): boolean =>
  family === 'secret' ||
  tiers.checksum_and_context !== undefined ||
  tiers.checksum_of_many !== undefined ||
  (tiers.checksum !== undefined && tiers.context === undefined);

export const highestLevel = (levels: readonly (Level | null)[]): Level | null =>
  ([3, 2, 1, 0] as const).find((level) => levels.includes(level)) ?? null;

/** Sure signals that prove themselves and imply a level, whatever the asset is classified as. */
export const provenSignals = (signals: readonly RiskSignal[]): RiskSignal[] =>
  signals.filter((signal) => levelOfSignal(signal) !== null && isProven(signal));

/**
 * The levels of an asset: at most one that an owner confirmed, and at most one that nobody confirmed. A confirmed
 * level replaces the model's inference for the questions of the same domain. Open questions of other domains count
 * separately. Signals count only if no owner has confirmed a level.
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

/** The highest of three levels: those of the model's likeliest types, of types that people named, of sure identifiers. */
function inferredSensitivity(
  open: readonly RiskClassification[],
  signals: SensitivityFacts['signals'],
): Sensitivity | null {
  const likely = likelyLevels(open);
  const named = open.filter((each) => each.confidence === null).map((each) => each.level);
  const level = highestLevel([...likely, ...named, ...signals.map(levelOfSignal)]);
  if (level === null) return null;
  const where = columnsOf(signals.filter((signal) => levelOfSignal(signal) === level));
  const whose = likely.includes(level)
    ? 'The model takes it for'
    : named.includes(level)
      ? 'A person named a type that is'
      : `It holds identifiers ${where && `${where} `}that make it`;
  return { level, confirmed: false, because: `${whose} ${LEVEL_NAMES[level]}; no owner has confirmed it.` };
}

/** The columns of a table that signals are from, as a note names them; '' for anything else. */
export function columnsOf(signals: readonly Pick<RiskSignal, 'columns'>[]): string {
  const names = [
    ...new Set(signals.flatMap(({ columns }) => columns?.items.map(({ column }) => column) ?? [])),
  ];
  if (names.length === 0) return '';
  const isAll = names.length <= MAX_COLUMNS && signals.every(({ columns }) => columns?.truncated !== true);
  const shown = names.slice(0, MAX_COLUMNS).map((name) => `"${shortened(name)}"`);
  return `in ${names.length === 1 ? 'column' : 'columns'} ${shown.join(', ')}${isAll ? '' : ' and others'}`;
}

function shortened(name: string): string {
  const shown = name.replace(/\p{C}+/gu, ' ');
  return shown.length > MAX_COLUMN_NAME ? `${shown.slice(0, MAX_COLUMN_NAME - 1).toWellFormed()}…` : shown;
}

/** The levels of the types of each domain that the model takes for about as likely as the likeliest. */
function likelyLevels(open: readonly RiskClassification[]): (Level | null)[] {
  const inferred = open.flatMap(({ domainId, level, confidence }) =>
    confidence === null ? [] : [{ domainId, level, odds: confidence / (1 - confidence) }],
  );
  return [...Map.groupBy(inferred, ({ domainId }) => domainId).values()].flatMap((ofDomain) => {
    const most = Math.max(...ofDomain.map(({ odds }) => odds));
    return ofDomain.filter(({ odds }) => odds >= ABOUT_AS_LIKELY * most).map(({ level }) => level);
  });
}
