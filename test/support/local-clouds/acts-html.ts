import type { Acted, ShownItem, ShownLibrary } from './acts.ts';
import type { KnownItem, KnownLibrary, ServiceView } from './service-view.ts';

/** The page: each library and file as the fake has it, beside what the service knows of it. */
export const pageOf = <Act extends string>(
  { name, hint, libraries }: Acted<Act>,
  view: ServiceView,
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>A fake of ${name}</title>
<style>
:root { color-scheme: light dark; --line: light-dark(#ccc, #555); --quiet: light-dark(#595959, #b0b0b0);
  --service: light-dark(#eef4fb, #1d2733); --behind: light-dark(#8a4b00, #ffc266) }
body { font: 15px/1.4 system-ui, sans-serif; margin: 1rem auto; max-width: 90rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
td, th { border-top: 1px solid var(--line); overflow-wrap: break-word; padding: .3rem .5rem; text-align: left; vertical-align: top }
td:first-child { overflow-wrap: anywhere }
form { display: inline }
summary { cursor: pointer; font-size: 1.15rem; margin-top: 1rem; overflow-wrap: anywhere }
button { font: inherit; margin: .1rem 0; min-height: 1.8rem }
.service { background: var(--service) }
.quiet { color: var(--quiet) }
.behind { color: var(--behind) }
@media (max-width: 48rem) {
  thead { display: none }
  tr { border-top: 2px solid var(--line); display: block; padding: .4rem 0 }
  td { border: 0; display: block; padding: .1rem .3rem }
  td[data-name]::before { color: var(--quiet); content: attr(data-name) ': ' }
  td { overflow-wrap: anywhere }
  td.none { display: none }
}
</style>
</head>
<body>
<h1>A fake of ${name}</h1>
<p>Act as the people of Nordwind. ${hint} What the company has
is beside <span class="service">what the service knows</span>, which is read again every two seconds.
<span class="behind">≠</span> marks what differs.</p>
${libraries()
  .map((library) => libraryOf(library, view.get(library.libraryId)))
  .join('\n')}
<script>
setInterval(async () => {
  const answer = await fetch('/', { headers: { accept: 'text/html' } }).catch(() => null);
  if (answer === null) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const shown of document.querySelectorAll('[data-live]')) {
    const next = page.getElementById(shown.id);
    if (next !== null && next.outerHTML !== shown.outerHTML) shown.replaceWith(next);
  }
}, 2000);
</script>
</body>
</html>
`;

const libraryOf = (library: ShownLibrary, known: KnownLibrary | undefined) => `<details>
<summary>${escaped(library.name)}: ${library.items.filter(({ deleted }) => !deleted).length}${library.answers === null ? '' : ` (${escaped(library.answers)})`}</summary>
<p>${library.acts.map((act) => formOf(library.libraryId, undefined, act)).join(' ')}</p>
<p class="service" id="${escaped(`service-${library.libraryId}`)}" data-live>The service: ${escaped(libraryWords(known))}.</p>
<table>
<thead><tr><th>Path</th><th>Label</th><th>Shared with</th><th></th><th class="service">Asset</th><th class="service">Label</th><th class="service">Exposed to</th><th class="service">Findings</th></tr></thead>
<tbody>
${library.items.map((item) => rowOf(library.libraryId, item, known?.items.get(item.itemId))).join('\n')}
</tbody>
</table>
</details>`;

function libraryWords(known: KnownLibrary | undefined): string {
  if (known === undefined) return 'does not know it';
  const { coverage, inaccessible, subscription } = known;
  return [
    `coverage ${coverage ?? 'none'}`,
    ...(inaccessible === null
      ? []
      : [`inaccessible (${inaccessible.reason}) since ${inaccessible.since.slice(0, 19)}Z`]),
    ...(subscription === null ? [] : [`subscription ${subscription}`]),
  ].join(', ');
}

const rowOf = (libraryId: string, item: ShownItem, known: KnownItem | undefined) => {
  const name = escaped(item.kind === 'folder' ? `${item.path}/` : item.path);
  const acts = item.acts.map((act) => formOf(libraryId, item.itemId, act)).join(' ');
  return `<tr id="${escaped(item.itemId)}">${cell('', item.deleted ? `<s>${name}</s> deleted` : name)}${cell('Label', escaped(item.label ?? ''))}${cell('Shared with', escaped(item.sharedWith.join(', ')))}${cell('', acts)}${serviceCells(item, known)}</tr>`;
};

const cell = (name: string, content: string) =>
  `<td${name === '' ? '' : ` data-name="${name}"`}${content === '' ? ' class="none"' : ''}>${content}</td>`;

function serviceCells(item: ShownItem, known: KnownItem | undefined): string {
  const cells: [string, string][] =
    item.kind === 'folder'
      ? [
          ['', ''],
          ['', ''],
          ['', ''],
          ['', ''],
        ]
      : [
          ['Service', assetWords(item, known)],
          ['Service label', known?.state === 'active' ? labelWords(item, known) : ''],
          ['Service exposure', known?.state === 'active' ? escaped(words(known.exposure ?? '')) : ''],
          [
            'Service findings',
            known?.state === 'active' ? escaped(known.findings.map(words).join(', ')) : '',
          ],
        ];
  return cells
    .map(
      ([name, content], at) =>
        `<td class="service${content === '' ? ' none' : ''}" id="${escaped(`${item.itemId}-${at}`)}" data-live data-name="${name}">${content}</td>`,
    )
    .join('');
}

function assetWords({ deleted, path }: ShownItem, known: KnownItem | undefined): string {
  if (known === undefined) return deleted ? '' : behind('unknown');
  if (known.state === 'deleted') return deleted ? 'deleted' : behind('deleted');
  const state = words(known.contentState);
  if (deleted) return behind(state);
  return known.path === path ? state : `${state} ${behind(`at ${known.path}`)}`;
}

function labelWords({ deleted, label }: ShownItem, known: KnownItem): string {
  const shown = known.label === null ? 'not known' : known.label;
  return deleted || (label ?? '') === (known.label ?? '')
    ? escaped(shown)
    : behind(shown === '' ? 'none' : shown);
}

const words = (code: string) => code.replaceAll('_', ' ');
const behind = (text: string) => `<span class="behind">≠ ${escaped(text)}</span>`;

const formOf = (libraryId: string, itemId: string | undefined, act: string) =>
  `<form method="post"><input type="hidden" name="libraryId" value="${escaped(libraryId)}">${
    itemId === undefined ? '' : `<input type="hidden" name="itemId" value="${escaped(itemId)}">`
  }<button name="act" value="${act}">${words(act)}</button></form>`;

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
