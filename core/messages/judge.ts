import type { Tx } from '../db/tx.ts';
import type { Signal } from '../detectors/detector.ts';
import { proofSeverity } from '../findings/risk.ts';
import { highestLevel, levelOfSignal, provenSignals } from '../findings/sensitivity.ts';
import type { Moment } from '../work/moment.sql.ts';
import type { Leased } from './containers.sql.ts';
import {
  type ContainerFacts,
  factsOf,
  openFindings,
  type ProvenLevel,
  resolveFindings,
} from './findings.sql.ts';

/** The level of the identifiers that prove themselves; null if there are none. */
export function provenLevel(signals: readonly Signal[]): ProvenLevel | null {
  const level = highestLevel(provenSignals(signals).map(levelOfSignal));
  return level === 2 || level === 3 ? level : null;
}

/** Who can read a container besides the people that its owners named. */
function exposureOf({ guests, outsiders, isOpen }: ContainerFacts): 'external' | 'organization' | null {
  if ((guests ?? 0) > 0 || (outsiders ?? 0) > 0) return 'external';
  return isOpen === true ? 'organization' : null;
}

/** Opens or resolves the finding of a container: people from outside, or everybody inside, can read proven identifiers. */
export async function judgeContainer(tx: Tx, leased: Leased, now: Moment): Promise<void> {
  const facts = await factsOf(tx, leased);
  const { level } = facts;
  const exposure = exposureOf(facts);
  if (level === null || exposure === null) return resolveFindings(tx, leased, null, now);
  const severity = proofSeverity(level, exposure);
  await openFindings(tx, leased, [{ messageId: null, level, severity }], now);
}
