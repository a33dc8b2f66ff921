import type { Grant } from '../connectors/connector.ts';
import { SEVERITIES, type Severity } from '../kernel/vocabulary.ts';
import { type Exposure, exposureOf } from './exposure.ts';
import {
  LEVEL_NAMES,
  type Level,
  provenLevel,
  type Sensitivity,
  type SensitivityFacts,
  sensitivitiesOf,
} from './sensitivity.ts';

/** Raise it when the same facts are judged otherwise. docs/risk.md tells what each version says. */
export const RISK_POLICY_VERSION = '3';

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

/** That something is sensitive is a fact about it and nothing to mend. */
export const RISK_COMPONENTS = ['sensitivity', ...FINDING_KINDS] as const;
export type RiskComponentName = (typeof RISK_COMPONENTS)[number];

/**
 * `notes` is for people and holds no name, no value and nothing of the content. `inSpite`: it holds although an owner has
 * confirmed that the asset is less sensitive.
 */
export type RiskComponent = { name: RiskComponentName; severity: Severity; notes: string; inSpite?: true };

export type RiskFacts = SensitivityFacts & {
  grants: readonly Grant[];
  /** False where the source does not tell of every grant. */
  permissionsComplete: boolean;
  /** `rank` is the label's place in its catalog from 0, the weakest, to `topRank`; null where it is not in it. */
  label: { state: 'labeled' | 'unlabeled' | 'unknown'; rank: number | null; topRank: number | null };
  /** Level of the most sensitive other asset of the very same bytes that an owner has confirmed, or null. */
  confirmedCopyLevel: Level | null;
  /** When the content changed last: milliseconds, or null where the source does not tell. */
  contentModifiedAt: number | null;
  /** Since when a colleague's question waits in a domain that has no owner: milliseconds, or null where none does. */
  withoutOwnerSince: number | null;
  /** Milliseconds. */
  now: number;
};

const STALE_AFTER_DAYS = 365;
/** Days after which a question that nobody can answer is a finding. */
export const NO_OWNER_AFTER_DAYS = 7;
export const DAY_MS = 86_400_000;

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
  const sensitivities = sensitivitiesOf(facts);
  const exposure = exposureOf(facts.grants);
  const components = [
    ...sensitivities.flatMap((sensitivity) => [
      weigh('sensitivity', SENSITIVITY, sensitivity, ''),
      exposure && weigh('exposure', EXPOSURE[exposure], sensitivity, exposedTo(facts, exposure)),
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
    exposure && exposedInSpite(facts, exposure, sensitivities),
    unmanagedCopy(facts),
    withoutOwner(facts),
  ].filter((each) => each !== null);
  return RISK_COMPONENTS.flatMap((name) => mostSevere(components.filter((each) => each.name === name)) ?? []);
}

/** The first of the most severe ones, or null where there are none. */
const mostSevere = (components: readonly RiskComponent[]): RiskComponent | null =>
  components.reduce<RiskComponent | null>(
    (most, each) =>
      most === null || SEVERITIES.indexOf(each.severity) > SEVERITIES.indexOf(most.severity) ? each : most,
    null,
  );

/** The most severe of the components, or null where there are none. */
export const highestSeverity = (components: readonly RiskComponent[]): Severity | null =>
  mostSevere(components)?.severity ?? null;

/** Whether a component is worth a person's time. */
export const opensFinding = (component: RiskComponent): component is RiskComponent & { name: FindingKind } =>
  component.severity !== 'low' && component.name !== 'sensitivity';

/** What nobody has confirmed weighs one step less; who has confirmed it is said in any case. */
function weigh(
  name: RiskComponentName,
  by: readonly (Severity | null)[],
  { level, confirmed, because }: Sensitivity,
  notes: string,
): RiskComponent | null {
  const severity = by[level] ?? null;
  if (severity === null) return null;
  const step = SEVERITIES.indexOf(severity) - (confirmed ? 0 : 1);
  const said = notes === '' ? because : `${notes} ${because}`;
  return { name, severity: SEVERITIES[Math.max(0, step)] ?? severity, notes: said };
}

const exposedTo = ({ permissionsComplete }: RiskFacts, exposure: Exposure): string =>
  `${EXPOSED_TO[exposure]}.${permissionsComplete ? '' : ' The source does not tell of every grant.'}`;

/** An owner's word lowers what an asset is taken for, and yet hides no proven identifier that many can read. */
function exposedInSpite(
  facts: RiskFacts,
  exposure: Exposure,
  sensitivities: readonly Sensitivity[],
): RiskComponent | null {
  const level = provenLevel(facts.signals);
  const said = sensitivities.find(({ confirmed }) => confirmed);
  if (level === null || said === undefined || said.level >= level) return null;
  const because =
    `It holds identifiers that make it ${LEVEL_NAMES[level]}, although an owner has confirmed that it is ` +
    `${LEVEL_NAMES[said.level]}.`;
  const found = { level, confirmed: false, because };
  const component = weigh('exposure', EXPOSURE[exposure], found, exposedTo(facts, exposure));
  if (component === null) return null;
  // It opens a finding in any case.
  return {
    ...component,
    severity: component.severity === 'low' ? 'medium' : component.severity,
    inSpite: true,
  };
}

/** A label protects as far up its catalog as the document is up the four levels. */
function weighLabel({ label }: RiskFacts, sensitivity: Sensitivity): RiskComponent | null {
  if (label.state === 'unlabeled') return weigh('label', BY_LEVEL, sensitivity, 'It has no label.');
  if (label.state === 'unknown' || label.rank === null || label.topRank === null) return null;
  const { level } = sensitivity;
  if (label.rank >= Math.ceil((level / 3) * label.topRank)) return null;
  return weigh('label', BY_LEVEL, sensitivity, `Its label is too weak for what is ${LEVEL_NAMES[level]}.`);
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

/** A copy of what an owner has taken charge of, that nobody has taken charge of. */
function unmanagedCopy({ classifications, confirmedCopyLevel: level }: RiskFacts): RiskComponent | null {
  if (level === null || classifications.some((each) => each.confirmed)) return null;
  const because = `It is a copy of a document that an owner has confirmed as ${LEVEL_NAMES[level]}; no owner has confirmed this one.`;
  return weigh('unmanaged_copy', BY_LEVEL, { level, confirmed: true, because }, '');
}

const isStale = ({ contentModifiedAt, now }: RiskFacts) =>
  contentModifiedAt !== null && now - contentModifiedAt > STALE_AFTER_DAYS * DAY_MS;

/** A colleague has sent it where nobody can answer. How sensitive it is does not matter: nobody looks after it. */
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
