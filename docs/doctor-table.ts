import type { Check } from '../core/commands/doctor/check.ts';

/** The checks of the doctor as a Markdown table, in the order in which they run. */
export const doctorTable = (checks: readonly Check[]): string =>
  [
    '| Check | What it proves | Needs |',
    '| --- | --- | --- |',
    ...checks.map(({ id, proves, needs }) => `| \`${id}\` | ${proves} | ${needs.map(code).join(', ')} |`),
  ].join('\n');

const code = (text: string) => `\`${text}\``;
