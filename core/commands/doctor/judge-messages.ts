import type { MessageFamily } from '../../connectors/message-source.ts';
import {
  canBeScanned,
  PROBED,
  type Probed,
  type ProbeReason,
  type SourceProbe,
  wordOf,
} from '../../connectors/probe.ts';
import { SELECTED_BY } from '../../integrations/configured-sources.ts';
import { fail, type Outcome, pass, warn } from './check.ts';
import { STEPS, summaryOf } from './judge-probe.ts';

/** What a test of a source of messages means. */
export function judgeMessages(family: MessageFamily, probe: SourceProbe): Outcome {
  const lacking = PROBED.filter(
    (name) => probe[name].state !== 'ok' && wordOf(probe[name]) !== 'not_part_of_source',
  );
  const { named, steps } = summaryOf(probe, lacking, (probed) => stepFor(family, probed));
  if (!canBeScanned(probe)) return fail(`Messages cannot be read: ${named}.`, ...steps);
  if (lacking.length > 0) return warn(`Messages can be read. To correct: ${named}.`, ...steps);
  return pass('The source answered for everything that is selected.');
}

function stepFor(family: MessageFamily, probed: Probed): string[] {
  if (probed.state === 'ok') return [];
  const { reason, missing, position } = probed;
  const entry = `entry ${position ?? 1} of ${SELECTED_BY[family]}`;
  const own: Partial<Readonly<Record<ProbeReason, string>>> = {
    missing_permission:
      position === undefined
        ? `Grant the application permission ${missing.join(', ')}, with admin consent (docs/permissions.md).`
        : `Let the application read ${entry}: docs/permissions.md has the commands.`,
    site_not_found: `Correct ${entry}: the source does not know it.`,
    setting_missing: `Set ${missing.join(', ')}.`,
    no_site: `Select in ${SELECTED_BY[family]} what is to be read.`,
  };
  const step = own[reason] ?? STEPS[reason];
  return step === undefined ? [] : [step];
}
