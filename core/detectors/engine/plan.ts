import type { Detector, FindingDetector, Gate, Pattern, PatternDetector } from '../detector.ts';
import { type Automaton, automatonOf, longestLead } from './automaton.ts';
import { type Scanner, scannerOf } from './gates.ts';
import { type Lexicon, lexiconOf } from './lexicon.ts';
import { type StartFinder, startFinder } from './start-finder.ts';

/**
 * Patterns are grouped by what opens their gate and by how far before it a match may start, so that the few that start
 * far away do not have the others look at more text; past the last bound a pattern is run by itself.
 */
const LEAD_BOUNDS = [24, 200];
const MAX_PLANS = 8;

/** One pattern of a detector, with the place of that in the list. */
export type PlannedPattern = {
  readonly place: number;
  readonly detector: PatternDetector;
  readonly pattern: Pattern;
};

/** Patterns that are looked for together, from a little before what opens their gates. */
export type Group = {
  readonly finder: StartFinder;
  readonly patterns: readonly (PlannedPattern & { readonly sticky: RegExp })[];
  /** By pattern, while a text is searched: where it is tried next. */
  readonly next: Int32Array;
  /** As wide as the widest of theirs; its reach is how far before what opens it a match may start. */
  readonly gate: Gate;
};

/** What is made once of a list of detectors to run them over many texts. */
export type Plan = {
  readonly detectors: readonly Detector[];
  readonly scanner: Scanner;
  readonly lexicon: Lexicon;
  readonly groups: readonly Group[];
  /** Patterns that are run one by one over the windows of the gate that they share. */
  readonly single: readonly { readonly gate: Gate; readonly patterns: readonly PlannedPattern[] }[];
  /** By literal: the gates that it opens. */
  readonly opens: ReadonlyMap<string, readonly Gate[]>;
  /** Detectors with means of their own, with their place in the list. */
  readonly finding: readonly (readonly [place: number, detector: FindingDetector])[];
};

const plans: Plan[] = [];
/** The list that was last asked for: short texts come one by one with the very same. */
let last: { readonly detectors: readonly Detector[]; readonly plan: Plan } | null = null;

/** Made when a list is first seen; the same detectors in the same order share a plan, and the last few are kept. */
export function planOf(detectors: readonly Detector[]): Plan {
  if (last?.detectors === detectors) return last.plan;
  const known = plans.findIndex(
    (plan) =>
      plan.detectors.length === detectors.length && plan.detectors.every((each, i) => each === detectors[i]),
  );
  const plan = known === -1 ? makePlan([...detectors]) : plans.splice(known, 1)[0];
  if (plan === undefined) throw new RangeError('A plan was found and then not there');
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
    const { gate } = detector;
    for (const pattern of detector.patterns) {
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
  const opens = new Map<string, Gate[]>();
  for (const gate of new Set(detectors.map(({ gate }) => gate))) {
    if (gate?.kind !== 'literals') continue;
    for (const literal of gate.literals) opens.set(literal, [...(opens.get(literal) ?? []), gate]);
  }
  return {
    detectors,
    scanner: scannerOf(opens.keys()),
    opens,
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
    single: [...single].map(([gate, patterns]) => ({ gate, patterns })),
    finding: detectors.flatMap((each, place) => ('find' in each ? [[place, each] as const] : [])),
  };
}

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
      // A capital may stand apart from the run of capitals that opens the gate.
      return {
        kind,
        least: Math.min(...members.map(({ gate }) => ('least' in gate ? gate.least : 1))),
        reach: Math.max(reach, ...members.map(({ gate }) => gate.reach)),
      };
  }
}
