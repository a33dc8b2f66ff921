import type { Detector } from '../core/detectors/detector.ts';

/** The built-in detectors as a table, by family. */
export function detectorTable(detectors: readonly Detector[]): string {
  const rows = [...detectors]
    .sort((a, b) => a.family.localeCompare(b.family) || a.id.localeCompare(b.id))
    .map(
      (each) =>
        `| ${each.family.replaceAll('_', ' ')} | \`${each.id}\` | ${each.title} | ${contextOf(each)} | ${randomMatchOf(each)} |`,
    );
  return ['| Family | Id | Finds | Words nearby | Random match |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}

function contextOf(detector: Detector): string {
  if (detector.context.length === 0) return 'not read';
  const needs = 'patterns' in detector ? detector.patterns.map(({ context }) => context) : ['optional'];
  if (needs.every((need) => need === 'optional')) return 'raise confidence';
  return needs.every((need) => need === 'required') ? 'required' : 'required for some forms';
}

const randomMatchOf = ({ randomMatch }: Detector): string =>
  randomMatch === undefined ? '' : `1 in ${(1 / randomMatch).toLocaleString('en')}`;
