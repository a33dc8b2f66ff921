type Family = { name: string; type: string; unit: string; help: string };
type Sample = { name: string; labels: Record<string, string>; value: number };
export type Exposition = { families: Family[]; samples: Sample[] };

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const DESCRIPTION = new RegExp(`^# (TYPE|UNIT|HELP) (${NAME}) (.*)$`);
const SAMPLE = new RegExp(
  `^(${NAME})(?:\\{((?:${LABEL}(?:,${LABEL})*)?)\\})? ([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)$`,
);
const LABELS = new RegExp(LABEL, 'g');
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total'],
  gauge: [''],
  info: ['_info'],
  summary: ['', '_count', '_sum'],
};

/** Reads an exposition by the grammar and the rules of OpenMetrics 1.0. Throws at whatever breaks them. */
export function parseOpenMetrics(text: string): Exposition {
  if (!text.endsWith('\n# EOF\n')) throw new Error('The exposition does not end with its end.');
  const families = new Map<string, Family>();
  const samples: Sample[] = [];
  const series = new Set<string>();
  let current: Family | undefined;
  for (const line of text.slice(0, -'# EOF\n'.length).split('\n').slice(0, -1)) {
    const [, key = '', name = '', told = ''] = DESCRIPTION.exec(line) ?? [];
    if (key !== '') {
      if (current?.name !== name) {
        if (families.has(name)) throw new Error(`A family is not in one piece: ${line}`);
        current = { name, type: 'unknown', unit: '', help: '' };
        families.set(name, current);
      } else if (samples.at(-1)?.name.startsWith(name))
        throw new Error(`Described after its samples: ${line}`);
      if (key === 'TYPE') current.type = told;
      else if (key === 'UNIT') current.unit = told;
      else current.help = told;
      if (current.unit !== '' && !name.endsWith(`_${current.unit}`)) throw new Error(`No unit in: ${line}`);
      continue;
    }
    const sample = parseSample(line);
    const family = current;
    const suffixes = SUFFIXES[family?.type ?? ''] ?? [];
    if (family === undefined || !suffixes.some((suffix) => family.name + suffix === sample.name))
      throw new Error(`A sample of no family: ${line}`);
    const identity = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).sort())}`;
    if (series.has(identity)) throw new Error(`A series twice: ${line}`);
    series.add(identity);
    samples.push(sample);
  }
  return { families: [...families.values()], samples };
}

function parseSample(line: string): Sample {
  const [whole, name = '', pairs = '', value = ''] = SAMPLE.exec(line) ?? [];
  if (whole === undefined || !Number.isFinite(Number(value))) throw new Error(`No sample: ${line}`);
  const labels: Record<string, string> = {};
  for (const [pair] of pairs.matchAll(LABELS)) {
    const at = pair.indexOf('=');
    const label = pair.slice(0, at);
    if (label in labels) throw new Error(`A label twice: ${line}`);
    labels[label] = pair.slice(at + 2, -1).replace(/\\(.)/g, (_, each) => (each === 'n' ? '\n' : each));
  }
  return { name, labels, value: Number(value) };
}
