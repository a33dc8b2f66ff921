import { isNightly } from '../test/tiers.ts';
import { type Entry, OUTLINE } from './conformance/outline.ts';
import { type Chapter, REASONS, type Requirement, type Section } from './conformance/requirement.ts';

const KINDS: Readonly<Record<Section['kind'], string>> = {
  rule: 'Rule',
  row: 'Row',
  limit: 'Limit',
  transition: 'Transition',
};

/** The file and the title of a proof, `file: title`. */
export function proofOf(proof: string): { file: string; title: string } {
  const end = proof.indexOf(': ');
  return { file: `test/${proof.slice(0, end)}.test.ts`, title: proof.slice(end + 2) };
}

export const requirementsOf = (chapters: readonly Chapter[]): Requirement[] =>
  chapters.flatMap(({ sections }) => sections.flatMap(({ requirements }) => requirements));

/** Entries of the specification that no requirement has. The id of a requirement is the entry, or begins with it and a comma. */
export function unlisted(
  chapters: readonly Chapter[],
  outline: Readonly<Record<string, readonly Entry[]>> = OUTLINE,
): string[] {
  const sections = chapters.flatMap((chapter) => chapter.sections);
  return Object.entries(outline).flatMap(([title, entries]) => {
    const ids = sections.find((each) => each.title === title)?.requirements.map(({ id }) => id) ?? [];
    const isListed = (entry: Entry) =>
      typeof entry === 'string'
        ? ids.some((id) => id === entry || id.startsWith(`${entry}, `))
        : ids.includes(entry[1]);
    return entries
      .filter((entry) => !isListed(entry))
      .map((entry) => `${title}: ${typeof entry === 'string' ? entry : entry[0]}`);
  });
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
/** Titles are no Markdown. */
const literal = (title: string) => cell(title.replaceAll(/[\\`*_<[\]]/g, '\\$&'));

/** How many are proved and how many are not, with the reasons. */
function counts(all: readonly Requirement[]): string {
  const inPart = all.filter(({ proof, unproved }) => proof.length > 0 && unproved !== undefined);
  const unproved = all.filter(({ proof }) => proof.length === 0);
  const reasons = Object.entries(REASONS).flatMap(([because, words]) => {
    const count = all.filter((each) => each.unproved?.because === because).length;
    return count === 0 ? [] : [`${words} (${count})`];
  });
  const proved = all.length - inPart.length - unproved.length;
  return (
    `**${all.length} requirements: ${proved} are proved, ${inPart.length} are proved in part, ` +
    `${unproved.length} are not proved. Why: ${reasons.join('; ')}.**`
  );
}

function row({ id, says, proof, unproved }: Requirement): string {
  const links = proof.map((each) => {
    const { file, title } = proofOf(each);
    const when = isNightly(file) ? ' (nightly)' : '';
    return `[${each.slice(0, each.indexOf(': '))}](../${file}): ${literal(title)}${when}`;
  });
  const rest =
    unproved === undefined ? [] : [`**${proof.length === 0 ? 'Not' : 'In part'}:** ${cell(unproved.why)}`];
  return `| ${cell(id)} | ${cell(says)} | ${[...links, ...rest].join('<br>')} |`;
}

const section = ({ title, kind, requirements }: Section) =>
  [
    `### ${title}`,
    '',
    `| ${KINDS[kind]} | Promise | Proof |`,
    '| --- | --- | --- |',
    ...requirements.map(row),
  ].join('\n');

function notProved(chapters: readonly Chapter[]): string {
  const rows = chapters.flatMap(({ sections }) =>
    sections.flatMap(({ title, requirements }) =>
      requirements.flatMap(({ id, proof, unproved }) =>
        unproved === undefined
          ? []
          : [`| ${title}: ${cell(id)} | ${proof.length === 0 ? 'whole' : 'part'} | ${cell(unproved.why)} |`],
      ),
    ),
  );
  return ['| Requirement | Not proved | Why |', '| --- | --- | --- |', ...rows].join('\n');
}

/**
 * `docs/conformance.md`: each requirement of the interface specification with the tests that prove it. Throws if one of its rules,
 * rows, limits or transitions is not listed.
 */
export function conformancePage(chapters: readonly Chapter[]): string {
  const missing = unlisted(chapters);
  if (missing.length > 0) throw new Error(`No requirement lists: ${missing.join('; ')}`);
  return `# Conformance

Each rule, table row, limit and transition of the interface specification, with the tests that prove it. \`npm run docs\` writes this page from \`docs/conformance/\`.

${counts(requirementsOf(chapters))}

- **Promise:** the requirement in short. The order is that of the specification; the first column has the number there, or the beginning of the row or sentence.
- **Proof:** the file of a test and its title. CI runs all but those that are marked *nightly*, which \`npm run test:nightly\` runs (docs/adr/0035). \`%s\` and \`$name\` in a title are filled in for each case.
- A test checks that each title is there and is not skipped (\`test/contract/conformance.test.ts\`).
- \`docs/conformance/outline.ts\` names each numbered rule, table row, limit and transition of the specification. This page is not written while one of them has no requirement.

## What is not proved

${notProved(chapters)}

${chapters.map(({ title, sections }) => [`## ${title}`, ...sections.map(section)].join('\n\n')).join('\n\n')}
`;
}
