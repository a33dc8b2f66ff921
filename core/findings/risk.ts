import type { Grant } from '../connectors/connector.ts';
import type { DetectorTitles } from '../detectors/on-demand.ts';
import { SEVERITIES, type Severity } from '../kernel/vocabulary.ts';
import { type Exposure, exposureOf } from './exposure.ts';
import {
  columnsOf,
  highestLevel,
  LEVEL_NAMES,
  type Level,
  levelOfSignal,
  provenSignals,
  type RiskSignal,
  type Sensitivity,
  type SensitivityFacts,
  sensitivitiesOf,
} from './sensitivity.ts';

/** Raise it when the result for the same facts changes. docs/risk.md describes the current version. */
export const RISK_POLICY_VERSION = '5';

/** What opens a finding. */
export const FINDING_KINDS = [
  'exposure',
  'label',
  'location',
  'unmanaged_copy',
  'stale_access',
  'no_owner',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** `sensitivity` opens no finding, because there is nothing to fix. */
export const RISK_COMPONENTS = ['sensitivity', ...FINDING_KINDS] as const;
export type RiskComponentName = (typeof RISK_COMPONENTS)[number];

/**
 * `notes` is for people. It holds no value and no content, and of names those of columns of a table alone. `inSpite`: the component holds although an owner
 * has confirmed a lower sensitivity. `level`: of the component `label`, the level that its label must fit.
 */
export type RiskComponent = {
  name: RiskComponentName;
  severity: Severity;
  notes: string;
  inSpite?: true;
  level?: Level;
};

export type RiskFacts = SensitivityFacts & {
  grants: readonly Grant[];
  /** False if the source does not report every grant. */
  permissionsComplete: boolean;
  /**
   * `rank` is the position of the label in its catalog, from 0 (weakest) to `topRank`. Null if the catalog does not
   * list it. `isLabeledElsewhere`: another organization gave it a label, which does not count here.
   */
  label: {
    state: 'labeled' | 'unlabeled' | 'unknown';
    rank: number | null;
    topRank: number | null;
    isLabeledElsewhere?: boolean;
  };
  /** Level of the most sensitive other asset with the same bytes that an owner has confirmed, or null. */
  confirmedCopyLevel: Level | null;
  /** When the content last changed, in milliseconds. Null if the source does not report it. */
  contentModifiedAt: number | null;
  /** When a colleague's question began to wait in a domain without an owner, in milliseconds. Null if none does. */
  withoutOwnerSince: number | null;
  /** Milliseconds. */
  now: number;
};

/** Kinds of identifiers that a note names. */
const MAX_KINDS = 4;
const STALE_AFTER_DAYS = 365;
/** Days after which a question in a domain without an owner becomes a finding. */
export const NO_OWNER_AFTER_DAYS = 7;
export const DAY_MS = 86_400_000;

/** Severity by level. Internal assets are meant for the whole organization, so its access is no exposure of them. */
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

/**
 * The risk components of an asset, in the order of `RISK_COMPONENTS`. Pure: the same facts give the same result.
 * @param titles of the built-in detectors
 */
export function assessRisk(facts: RiskFacts, titles: DetectorTitles): RiskComponent[] {
  const sensitivities = sensitivitiesOf(facts);
  const exposure = exposureOf(facts.grants);
  const proven = provenSignals(facts.signals);
  const exposed = exposure && exposedTo(facts, exposure, proven, titles);
  const components = [
    ...sensitivities.flatMap((sensitivity) => [
      weigh('sensitivity', SENSITIVITY, sensitivity, ''),
      exposure && weigh('exposure', EXPOSURE[exposure], sensitivity, exposed ?? ''),
      weighLabel(facts, sensitivity),
      weighLocation(facts, sensitivity),
      exposure && isStale(facts)
        ? weigh(
            'stale_access',
            BY_LEVEL,
            sensitivity,
            `${EXPOSED_TO[exposure]}, and its content has not changed for more than ${STALE_AFTER_DAYS} days.`,
          )
        : null,
    ]),
    exposure && exposedProof(proven, exposure, exposed ?? '', sensitivities),
    unmanagedCopy(facts),
    withoutOwner(facts),
  ].filter((each) => each !== null);
  return RISK_COMPONENTS.flatMap((name) => {
    const alike = components.filter((each) => each.name === name);
    const worst = mostSevere(alike);
    if (worst?.level === undefined) return worst ?? [];
    // A label that fits one level and not the other would leave the finding as it is.
    return { ...worst, level: highestLevel(alike.map((each) => each.level ?? null)) ?? worst.level };
  });
}

/** The component of the highest severity, the first one of several. Null if there are none. */
const mostSevere = (components: readonly RiskComponent[]): RiskComponent | null =>
  components.reduce<RiskComponent | null>(
    (most, each) =>
      most === null || SEVERITIES.indexOf(each.severity) > SEVERITIES.indexOf(most.severity) ? each : most,
    null,
  );

/** The highest severity of the components, or null without components. */
export const highestSeverity = (components: readonly RiskComponent[]): Severity | null =>
  mostSevere(components)?.severity ?? null;

/** Whether a component opens a finding. */
export const opensFinding = (component: RiskComponent): component is RiskComponent & { name: FindingKind } =>
  component.severity !== 'low' && component.name !== 'sensitivity';

/** A level that no owner has confirmed counts one step less. The note says in each case whether it is confirmed. */
function weigh(
  name: RiskComponentName,
  by: readonly (Severity | null)[],
  { level, confirmed, because }: Sensitivity,
  notes: string,
): RiskComponent | null {
  const severity = severityBy(by, level, confirmed);
  if (severity === null) return null;
  return { name, severity, notes: notes === '' ? because : `${notes} ${because}` };
}

function severityBy(by: readonly (Severity | null)[], level: Level, confirmed: boolean): Severity | null {
  const severity = by[level] ?? null;
  if (severity === null) return null;
  return SEVERITIES[Math.max(0, SEVERITIES.indexOf(severity) - (confirmed ? 0 : 1))] ?? severity;
}

/**
 * The severity of proven identifiers: that of a level that no owner has confirmed, and at least `medium`, so that it opens
 * a finding.
 * @param exposure null if only named people and groups can open them
 */
export function proofSeverity(level: Level, exposure: Exposure | null): Severity {
  const severity = severityBy(exposure === null ? BY_LEVEL : EXPOSURE[exposure], level, false);
  return severity === null || severity === 'low' ? 'medium' : severity;
}

/** Who can open the asset, which proven identifiers it holds, and what to do about them. */
function exposedTo(
  { grants, permissionsComplete }: RiskFacts,
  exposure: Exposure,
  proven: readonly RiskSignal[],
  titles: DetectorTitles,
): string {
  const kinds = proven
    .toSorted((a, b) => b.count - a.count || (a.detectorId < b.detectorId ? -1 : 1))
    .slice(0, MAX_KINDS)
    .map((signal) => {
      const where = columnsOf([signal]);
      return `${titles.get(signal.detectorId) ?? signal.detectorId} (${signal.count}${where && `, ${where}`})`;
    });
  return [
    `${EXPOSED_TO[exposure]}.`,
    ...openedBy(grants.filter((grant) => exposureOf([grant]) === exposure)),
    ...(permissionsComplete ? [] : ['The source does not tell of every grant.']),
    ...(kinds.length === 0
      ? []
      : [
          `It holds identifiers that prove themselves: ${kinds.join(', ')}. Restrict who can open it, or remove them.`,
        ]),
  ].join(' ');
}

/** Which of the two opens the asset, as far as the source says, and whether that is sure. */
function openedBy(grants: readonly Grant[]): string[] {
  const isAbove = grants.some(({ inherited }) => inherited === true);
  const isOwn = grants.some(({ inherited }) => inherited === false);
  return [
    ...(isAbove && isOwn ? ['Both a grant of its own and what it lies in open it.'] : []),
    ...(isAbove && !isOwn ? ['What it lies in opens it.'] : []),
    ...(isOwn && !isAbove ? ['A grant of its own opens it.'] : []),
    ...(grants.every(({ unconfirmed }) => unconfirmed === true)
      ? ['That is not confirmed: a setting that could not be read may close it.']
      : []),
  ];
}

/**
 * The exposure of proven identifiers, unless an owner has confirmed their level. They need no type: they count if
 * nothing was classified, and an answer that lowers the level of an asset must not hide them. At least `medium`, so that
 * it always opens a finding.
 */
function exposedProof(
  proven: readonly RiskSignal[],
  exposure: Exposure,
  exposed: string,
  sensitivities: readonly Sensitivity[],
): RiskComponent | null {
  const level = highestLevel(proven.map(levelOfSignal));
  const said = sensitivities.find(({ confirmed }) => confirmed);
  if (level === null || (said !== undefined && said.level >= level)) return null;
  const because =
    said === undefined
      ? `They make it ${LEVEL_NAMES[level]}; no owner has confirmed it.`
      : `They make it ${LEVEL_NAMES[level]}, although an owner has confirmed that it is ${LEVEL_NAMES[said.level]}.`;
  const component = weigh('exposure', EXPOSURE[exposure], { level, confirmed: false, because }, exposed);
  if (component === null) return null;
  return {
    ...component,
    severity: proofSeverity(level, exposure),
    ...(said !== undefined && { inSpite: true as const }),
  };
}

/** Scales the level to the catalog: with four labels, each level needs the label of its own rank. */
function weighLabel({ label }: RiskFacts, sensitivity: Sensitivity): RiskComponent | null {
  const { level } = sensitivity;
  const lacking = (notes: string): RiskComponent | null => {
    const component = weigh('label', BY_LEVEL, sensitivity, notes);
    return component && { ...component, level };
  };
  if (label.state === 'unlabeled')
    return lacking(
      label.isLabeledElsewhere
        ? 'It has no label of this organisation, only one of another.'
        : 'It has no label.',
    );
  if (label.state === 'unknown' || label.rank === null || label.topRank === null) return null;
  if (label.rank >= Math.ceil((level / 3) * label.topRank)) return null;
  return lacking(`Its label is too weak for what is ${LEVEL_NAMES[level]}.`);
}

function weighLocation({ classifications }: RiskFacts, sensitivity: Sensitivity): RiskComponent | null {
  const isElsewhere = classifications.some(
    (each) =>
      each.location === 'elsewhere' && each.confirmed === sensitivity.confirmed && (each.level ?? 0) > 0,
  );
  return isElsewhere
    ? weigh(
        'location',
        BY_LEVEL,
        sensitivity,
        'It lies outside the place that is governed for such documents.',
      )
    : null;
}

/** An unconfirmed copy of a document that an owner has confirmed. */
function unmanagedCopy({ classifications, confirmedCopyLevel: level }: RiskFacts): RiskComponent | null {
  if (level === null || classifications.some((each) => each.confirmed)) return null;
  const because = `It is a copy of a document that an owner has confirmed as ${LEVEL_NAMES[level]}; no owner has confirmed this one.`;
  return weigh('unmanaged_copy', BY_LEVEL, { level, confirmed: true, because }, '');
}

const isStale = ({ contentModifiedAt, now }: RiskFacts) =>
  contentModifiedAt !== null && now - contentModifiedAt > STALE_AFTER_DAYS * DAY_MS;

/**
 * A colleague sent the asset to a domain where nobody can answer. The level does not matter, because nobody is
 * responsible for it.
 */
function withoutOwner({ withoutOwnerSince: since, now }: RiskFacts): RiskComponent | null {
  if (since === null || now - since <= NO_OWNER_AFTER_DAYS * DAY_MS) return null;
  return {
    name: 'no_owner',
    severity: 'medium',
    notes:
      `It was sent to a domain that has no owner, and has waited there for more than ${NO_OWNER_AFTER_DAYS} days. ` +
      'No owner has confirmed anything of it there.',
  };
}
