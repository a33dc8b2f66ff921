import { TABLES, type Table, TRIGGER_CLASSES, TRIGGER_EFFECTS } from './tables.ts';

type TableSql = { name: string; columns: string[][]; indexes: string[][]; triggers: string[][] };

/**
 * The tables of a dumped schema (`test/schema.sql`) with what is known of each. Throws where one is not described.
 * @param fileOf file in `migrations/functions/` of each database function
 */
export function schemaPage(schema: string, fileOf: ReadonlyMap<string, string>): string {
  const tables = [
    ...schema.matchAll(/^create table public\.(\w+) \(\n([\s\S]*?)\n\);\n([\s\S]*?)(?=\n\n)/gm),
  ].map(([, name = '', columns = '', rest = '']) => toTable({ name, columns, rest }, fileOf));
  const known = new Set(tables.map(({ name }) => name));
  for (const name of Object.keys(TABLES)) if (!known.has(name)) throw new Error(`${name} is no table`);
  const rooms = Map.groupBy(tables, ({ name }) => described(name).room);
  return [
    HEAD,
    triggersByClass(tables),
    sizes(tables),
    ...[...rooms].sort(([a], [b]) => (a < b ? -1 : 1)).map(([room, each]) => roomSection(room, each)),
  ].join('\n\n');
}

const HEAD = `# Schema

Written by \`npm run docs\` from \`test/schema.sql\` and \`docs/tables.ts\`. Every table with a \`tenant_id\` has row-level security. Definitions of functions and triggers are in \`migrations/functions/\`.

## Effects of \`process_asset\`

One transaction stores the results of one \`process_asset\` unit. It writes nothing if nothing has changed.

\`\`\`mermaid
sequenceDiagram
  participant U as process_asset
  participant R as review
  participant A as assets
  participant F as features
  participant C as commit
  U->>U: hold the lease, lock the asset
  U->>R: inferences, assertions, candidates, asset_scorings, asset_suppressions
  R-->>R: set_candidate_scope, note_candidates, place_inserted
  U->>U: judge the risk
  U->>A: assets, asset_versions
  A-->>R: follow_asset: status and severity of the candidates
  A-->>A: count_assets, place_updated_assets
  U->>A: asset_risks, findings
  U->>F: asset_features, asset_sketches, asset_contents, asset_vectors
  C-->>C: place_noted, once: asset_placements, then asset_search
  C-->>C: count_placements: placement_changes
\`\`\``;

/** Name, event, condition and function. */
const TRIGGER =
  /^CREATE (?:CONSTRAINT )?TRIGGER (\w+) (.*?) ON .*?(?:WHEN \(\((.*)\)\) )?EXECUTE FUNCTION public\.(\w+)\(/gm;

function toTable(
  { name, columns, rest }: { name: string; columns: string; rest: string },
  fileOf: ReadonlyMap<string, string>,
): TableSql {
  const references = new Map(
    [...rest.matchAll(/FOREIGN KEY \(([^)]+)\) REFERENCES public\.(\w+)\(/g)].map(
      ([, from = '', to = '']) => [from.split(', ').at(-1) ?? '', to],
    ),
  );
  return {
    name,
    columns: columns.split(/\n(?= {2}\w)/).map((line) => {
      const [, column = '', type = ''] = /^ {2}(\w+) ([^\n]*?),?(?:\n|$)/.exec(line) ?? [];
      const isRequired = type.includes(' not null');
      return [`\`${column}\``, shortType(type), isRequired ? '' : 'null', references.get(column) ?? ''];
    }),
    indexes: [...rest.matchAll(/^CREATE (?:UNIQUE )?INDEX (\w+) ON public\.\w+ USING ([\s\S]*?);$/gm)].map(
      ([, index = '', definition = '']) => [
        `\`${index}\``,
        `\`${definition.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')}\``,
        servedBy(name, index),
      ],
    ),
    triggers: [...rest.matchAll(TRIGGER)].map(([, trigger = '', event = '', condition = '', fn = '']) => [
      `\`${trigger}\``,
      [event.toLowerCase(), ...(condition === '' ? [] : [`when \`${condition.toLowerCase()}\``])].join(' '),
      `\`${fn}\``,
      fileOf.get(fn) ?? '',
      ...effectOf(fn),
    ]),
  };
}

const shortType = (type: string): string =>
  type
    .replace(/ (not null|default|generated).*$/, '')
    .replace('timestamp with time zone', 'timestamptz')
    .replace('double precision', 'float8');

function described(name: string): Table {
  const table = TABLES[name];
  if (table === undefined) throw new Error(`docs/tables.ts does not describe ${name}`);
  return table;
}

function servedBy(table: string, index: string): string {
  const query = described(table).indexes?.[index];
  if (query === undefined) throw new Error(`docs/tables.ts names no query of the index ${index}`);
  return query;
}

function effectOf(fn: string): (typeof TRIGGER_EFFECTS)[string] {
  const effect = TRIGGER_EFFECTS[fn];
  if (effect === undefined)
    throw new Error(`docs/tables.ts does not say what the trigger function ${fn} does`);
  return effect;
}

const markdownTable = (heading: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heading, heading.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

function triggersByClass(tables: readonly TableSql[]): string {
  const all = tables.flatMap(({ triggers }) => triggers);
  const rows = TRIGGER_CLASSES.map((name) => {
    const ofClass = all.filter((cells) => cells.includes(name));
    const functions = [...new Set(ofClass.map(([, , fn = '']) => fn))].sort();
    return [name, String(ofClass.length), functions.join(', ')];
  });
  return `## Triggers

${all.length} triggers. [ADR 28](adr/0028-triggers-that-derive-stay.md) names the writers that need those of the class *derived*.

${markdownTable(['Class', 'Triggers', 'Functions'], rows)}`;
}

function sizes(tables: readonly TableSql[]): string {
  const rows = tables.flatMap(({ name }) => {
    const size = described(name).perMillionAssets;
    return size === undefined
      ? []
      : [[`\`${name}\``, size.rows.toLocaleString('en'), String(size.tableMb), String(size.indexMb)]];
  });
  return `## Sizes

For a tenant of 1,000,000 assets: six in ten are tied to a domain, half have a text of 120 words, one in ten has a finding. Measured on Postgres 18 with the data of \`npm run bench -- read-models\`. Tables that depend on something else are not listed.

${markdownTable(['Table', 'Rows', 'Rows, MB', 'Indexes, MB'], rows)}`;
}

const roomSection = (room: string, tables: readonly TableSql[]): string =>
  [`## ${room}`, ...tables.map(tableSection)].join('\n\n');

const tableSection = ({ name, columns, indexes, triggers }: TableSql): string =>
  [
    `### ${name}`,
    described(name).holds,
    markdownTable(['Column', 'Type', '', 'References'], columns),
    ...(indexes.length === 0 ? [] : [markdownTable(['Index', 'On', 'Serves'], indexes)]),
    ...(triggers.length === 0
      ? []
      : [markdownTable(['Trigger', 'When', 'Function', 'File', 'Class', 'Effect'], triggers)]),
  ].join('\n\n');
