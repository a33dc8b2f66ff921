import type { Grant } from '../connectors/connector.ts';
import type { DetectorFamily, Signal } from '../detectors/detector.ts';
import { SEVERITIES, type Severity } from '../kernel/vocabulary.ts';
import { type Exposure, exposureOf } from './exposure.ts';

/** Raise it when the same facts are judged otherwise. docs/risk.md tells what each version says. */
export const RISK_POLICY_VERSION = '1';

export const RISK_COMPONENTS = [
  'sensitivity',
  'exposure',
  'label',
  'location',
  'unmanaged_copy',
  'stale_access',
] as const;
export type RiskComponentName = (typeof RISK_COMPONENTS)[number];

/** What opens a finding. That something is sensitive is a fact about it and nothing to mend. */
export const FINDING_KINDS = ['exposure', 'label', 'location', 'unmanaged_copy', 'stale_access'] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** `notes` is for people and holds no name, no value and nothing of the content. */
export type RiskComponent = { name: RiskComponentName; severity: Severity; notes: string };

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

export type RiskFacts = {
  classifications: readonly RiskClassification[];
  signals: readonly Pick<Signal, 'family' | 'confidence'>[];
  grants: readonly Grant[];
  /** False where the source does not tell of every grant. */
  permissionsComplete: boolean;
  /** `rank` is the label's place in its catalog from 0, the weakest, to `topRank`; null where it is not in it. */
  label: { state: 'labeled' | 'unlabeled' | 'unknown'; rank: number | null; topRank: number | null };
  /** Level of the most sensitive other asset of the very same bytes that an owner has confirmed, or null. */
  confirmedCopyLevel: Level | null;
  /** Milliseconds, or null where the source does not tell. */
  modifiedAt: number | null;
  /** Milliseconds. */
  now: number;
};

/** How sensitive an asset is taken to be, and whether a person has said so. */
type Sensitivity = { level: Level; confirmed: boolean; because: string };

const LEVEL_NAMES = ['public', 'internal', 'confidential', 'restricted'] as const;
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
const STALE_AFTER_DAYS = 365;
const DAY_MS = 86_400_000;

/** Severity by level. Internal matters may be seen by the organisation: that is what the word says. */
const EXPOSURE: Record<Exposure, readonly (Severity | null)[]> = {
  anyone: [null, 'medium', 'critical', 'critical'],
  external: [null, 'low', 'high', 'critical'],
  organization: [null, null, 'medium', 'high'],
  broad_group: [null, null, 'medium', 'high'],
};
const EXPOSED_TO: Record<Exposure, string> = {
  anyone: 'Anyone with a link can open it',
  external: 'People outside the organisation can open it',
  organization: 'Everyone in the organisation can open it',
  broad_group: 'A group that holds nearly everyone can open it',
};
const SENSITIVITY: readonly (Severity | null)[] = [null, 'low', 'low', 'medium'];
const BY_LEVEL: readonly (Severity | null)[] = [null, 'low', 'medium', 'high'];

/** What about an asset is a risk, in the order of `RISK_COMPONENTS`. Pure: the same facts give the same answer. */
export function assessRisk(facts: RiskFacts): RiskComponent[] {
  const sensitivity = sensitivityOf(facts);
  const copy = unmanagedCopy(facts);
  if (sensitivity === null || sensitivity.level === 0) return copy === null ? [] : [copy];
  const exposure = exposureOf(facts.grants);
  const weigh = (name: RiskComponentName, by: readonly (Severity | null)[], notes: string) =>
    component(name, by[sensitivity.level] ?? null, sensitivity, notes);
  const caveat = facts.permissionsComplete ? '' : ' The source does not tell of every grant.';
  return [
    weigh('sensitivity', SENSITIVITY, sensitivity.because),
    exposure === null ? null : weigh('exposure', EXPOSURE[exposure], `${EXPOSED_TO[exposure]}.${caveat}`),
    weighLabel(facts, sensitivity),
    facts.classifications.some(
      (each) =>
        each.location === 'elsewhere' && each.confirmed === sensitivity.confirmed && (each.level ?? 0) > 0,
    )
      ? weigh('location', BY_LEVEL, 'It lies outside the place that is governed for such documents.')
      : null,
    copy,
    exposure !== null && isStale(facts)
      ? weigh(
          'stale_access',
          BY_LEVEL,
          `${EXPOSED_TO[exposure]}, and it has not changed for more than ${STALE_AFTER_DAYS} days.`,
        )
      : null,
  ].filter((each) => each !== null);
}

/** The most severe of the components, or null where there are none. */
export const highestSeverity = (components: readonly RiskComponent[]): Severity | null =>
  components.reduce<Severity | null>(
    (highest, { severity }) =>
      highest === null || SEVERITIES.indexOf(severity) > SEVERITIES.indexOf(highest) ? severity : highest,
    null,
  );

/** Whether a component is worth a person's time. */
export const opensFinding = (component: RiskComponent): component is RiskComponent & { name: FindingKind } =>
  component.severity !== 'low' && component.name !== 'sensitivity';

/** What owners confirmed stands above what the model says; where neither speaks, what was found in the text does. */
function sensitivityOf({ classifications, signals }: RiskFacts): Sensitivity | null {
  const known = classifications.flatMap((each) =>
    each.level === null ? [] : [{ ...each, level: each.level }],
  );
  const confirmed = known.filter((each) => each.confirmed);
  if (confirmed.length > 0) {
    const level = highest(confirmed.map((each) => each.level));
    return { level, confirmed: true, because: `An owner has confirmed it: ${LEVEL_NAMES[level]}.` };
  }
  const [likeliest] = known.sort((a, b) => (b.confidence ?? 1) - (a.confidence ?? 1) || b.level - a.level);
  const found = signals.flatMap(({ family, confidence }) => {
    const level = confidence >= SURE_SIGNAL ? FAMILY_LEVEL[family] : undefined;
    return level === undefined ? [] : [level];
  });
  if (likeliest === undefined && found.length === 0) return null;
  const level = highest([...(likeliest ? [likeliest.level] : []), ...found]);
  const because =
    level === likeliest?.level
      ? `The model takes it for ${LEVEL_NAMES[level]}; no owner has confirmed it.`
      : `It holds identifiers that make it ${LEVEL_NAMES[level]}; no owner has confirmed it.`;
  return { level, confirmed: false, because };
}

const highest = (levels: readonly Level[]): Level =>
  ([3, 2, 1] as const).find((level) => levels.includes(level)) ?? 0;

/** What nobody has confirmed weighs one step less. */
function component(
  name: RiskComponentName,
  severity: Severity | null,
  { confirmed }: Pick<Sensitivity, 'confirmed'>,
  notes: string,
): RiskComponent | null {
  if (severity === null) return null;
  const step = SEVERITIES.indexOf(severity) - (confirmed ? 0 : 1);
  return { name, severity: SEVERITIES[Math.max(0, step)] ?? severity, notes };
}

/** A label protects as far up its catalog as the document is up the four levels. */
function weighLabel({ label }: RiskFacts, sensitivity: Sensitivity): RiskComponent | null {
  const { level } = sensitivity;
  if (label.state === 'unlabeled')
    return component(
      'label',
      BY_LEVEL[level] ?? null,
      sensitivity,
      `It has no label, and is ${LEVEL_NAMES[level]}.`,
    );
  if (label.state === 'unknown' || label.rank === null || label.topRank === null) return null;
  if (label.rank >= Math.ceil((level / 3) * label.topRank)) return null;
  return component(
    'label',
    BY_LEVEL[level] ?? null,
    sensitivity,
    `Its label is too weak for what is ${LEVEL_NAMES[level]}.`,
  );
}

/** A copy of what an owner has taken charge of, that nobody has taken charge of. */
function unmanagedCopy({ classifications, confirmedCopyLevel: level }: RiskFacts): RiskComponent | null {
  if (level === null || classifications.some((each) => each.confirmed)) return null;
  return component(
    'unmanaged_copy',
    BY_LEVEL[level] ?? null,
    { confirmed: true },
    `It is a copy of a document that an owner has confirmed as ${LEVEL_NAMES[level]}; nobody has confirmed this one.`,
  );
}

const isStale = ({ modifiedAt, now }: RiskFacts) =>
  modifiedAt !== null && now - modifiedAt > STALE_AFTER_DAYS * DAY_MS;
