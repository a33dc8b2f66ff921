import type { Detector, FindingDetector, Gate, Pattern, PatternDetector } from '../detector.ts';
import { type Automaton, automatonOf, longestLead } from './automaton.ts';
import { type Scanner, scannerOf } from './gates.ts';
import { type Lexicon, lexiconOf } from './lexicon.ts';
import { type StartFinder, startFinder } from './start-finder.ts';

/**
 * Patterns are grouped by the kind of their gate and by how far before the gate a match may start. Patterns that
 * start far away then do not make the others read more text. Beyond the last bound, a pattern runs alone.
 */
const LEAD_BOUNDS = [24, 200];
const MAX_PLANS = 8;

/** One pattern of a detector, with the index of the detector in the list. */
export type PlannedPattern = {
  readonly place: number;
  readonly detector: PatternDetector;
  readonly pattern: Pattern;
};

/** Patterns that are searched together around the places that open their gates. */
export type Group = {
  readonly finder: StartFinder;
  readonly patterns: readonly (PlannedPattern & { readonly sticky: RegExp })[];
  /** By pattern: the position from which it may be tried next in the current text. */
  readonly next: Int32Array;
  /** Covers the gates of all patterns. `reach` is how far before the gate a match may start. */
  readonly gate: Gate;
};

/** Patterns that run one by one over the windows of the gate that they share. */
type Single = { readonly gate: Gate; readonly patterns: readonly PlannedPattern[] };

/** What is prepared once from a list of detectors and used for many texts. */
export type Plan = {
  readonly detectors: readonly Detector[];
  readonly scanner: Scanner;
  readonly lexicon: Lexicon;
  readonly groups: readonly Group[];
  /** By literal: the patterns whose gate it opens. */
  readonly openedBy: ReadonlyMap<string, readonly Single[]>;
  /** Patterns that run one by one in every text, because their gate is no literal. */
  readonly alone: readonly Single[];
  /** Detectors with a `find` function, with their index in the list. */
  readonly finding: readonly { readonly place: number; readonly detector: FindingDetector }[];
};

const plans: Plan[] = [];
/** The most recent list. Callers pass the same list for many short texts. */
let last: { readonly detectors: readonly Detector[]; readonly plan: Plan } | null = null;

/** Returns the plan of a list of detectors. Plans are cached: equal lists share one, and the most recent ones are kept. */
export function planOf(detectors: readonly Detector[]): Plan {
  if (last?.detectors === detectors) return last.plan;
  const known = plans.findIndex(
    (plan) =>
      plan.detectors.length === detectors.length && plan.detectors.every((each, i) => each === detectors[i]),
  );
  const plan = known === -1 ? makePlan([...detectors]) : plans.splice(known, 1)[0];
  if (plan === undefined) throw new RangeError('A cached plan disappeared');
  plans.unshift(plan);
  plans.length = Math.min(plans.length, MAX_PLANS);
  last = { detectors, plan };
  return plan;
}

const TRIGGERS = { digits: /\d/, capitals: /[A-Z]/, at: /@/ } as const;

const KINDS = Object.keys(TRIGGERS) as (keyof typeof TRIGGERS)[];

type Candidate = PlannedPattern & { gate: Gate; automaton: Automaton; lead: number };

function makePlan(detectors: readonly Detector[]): Plan {
  const single = new Map<Gate, PlannedPattern[]>();
  const runAlone = (gate: Gate, planned: PlannedPattern) =>
    single.set(gate, [...(single.get(gate) ?? []), planned]);
  const candidates: Candidate[] = [];
  detectors.forEach((detector, place) => {
    if (!('patterns' in detector)) return;
    for (const pattern of detector.patterns) {
      const gate = gateOf(detector, pattern);
      const automaton = gate.kind === 'literals' ? null : automatonOf(pattern.regex);
      const planned = { place, detector, pattern };
      if (gate.kind === 'literals' || automaton === null) runAlone(gate, planned);
      else
        candidates.push({ ...planned, gate, automaton, lead: longestLead(automaton, TRIGGERS[gate.kind]) });
    }
  });
  for (const candidate of candidates) {
    if (candidate.lead > (LEAD_BOUNDS.at(-1) ?? 0)) runAlone(candidate.gate, candidate);
  }
  const singles = [...single].map(([gate, patterns]) => ({ gate, patterns }));
  return {
    detectors,
    scanner: scannerOf(literalsOf(detectors)),
    openedBy: openedBy(singles),
    alone: singles.filter(({ gate }) => gate.kind !== 'literals'),
    lexicon: lexiconOf(detectors),
    groups: LEAD_BOUNDS.flatMap((bound, i) => {
      const near = candidates.filter(({ lead }) => lead <= bound && lead > (LEAD_BOUNDS[i - 1] ?? -1));
      return KINDS.flatMap((kind) =>
        groupOf(
          kind,
          near.filter(({ gate }) => gate.kind === kind),
        ),
      );
    }),
    finding: detectors.flatMap((detector, place) => ('find' in detector ? [{ place, detector }] : [])),
  };
}

const gateOf = (detector: PatternDetector, { gate }: Pattern): Gate => gate ?? detector.gate;

function openedBy(singles: readonly Single[]): Plan['openedBy'] {
  const opened = new Map<string, Single[]>();
  for (const single of singles) {
    for (const literal of single.gate.kind === 'literals' ? single.gate.literals : [])
      opened.set(literal, [...(opened.get(literal) ?? []), single]);
  }
  return opened;
}

const literalsOf = (detectors: readonly Detector[]): string[] =>
  detectors
    .flatMap((detector) =>
      'patterns' in detector
        ? detector.patterns.map((pattern) => gateOf(detector, pattern))
        : (detector.gate ?? []),
    )
    .flatMap((gate) => (gate.kind === 'literals' ? gate.literals : []));

function groupOf(kind: keyof typeof TRIGGERS, members: readonly Candidate[]): Group[] {
  if (members.length === 0) return [];
  return [
    {
      finder: startFinder(members.map(({ automaton }) => automaton)),
      next: new Int32Array(members.length),
      patterns: members.map(({ place, detector, pattern }) => ({
        place,
        detector,
        pattern,
        sticky: new RegExp(pattern.regex.source, `${pattern.regex.flags.replace('g', '')}y`),
      })),
      gate: widestGate(kind, members),
    },
  ];
}

function widestGate(kind: keyof typeof TRIGGERS, members: readonly Candidate[]): Gate {
  const reach = Math.max(...members.map(({ lead }) => lead));
  switch (kind) {
    case 'at':
      return { kind, reach };
    case 'digits':
      return { kind, least: 1, reach };
    default:
      // A capital of the match may stand apart from the run of capitals that opens the gate.
      return {
        kind,
        least: Math.min(...members.map(({ gate }) => ('least' in gate ? gate.least : 1))),
        reach: Math.max(reach, ...members.map(({ gate }) => gate.reach)),
      };
  }
}
