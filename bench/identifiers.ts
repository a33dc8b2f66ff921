import { findHits } from '../core/detectors/engine/detect.ts';
import { DETECTORS } from '../core/detectors/index.ts';
import { renderTable } from '../infra/local/table.ts';
import { spanFinder } from './identifiers/find-spans.ts';
import { loadPeers, type Peer, plainLoop } from './identifiers/peers.ts';
import { matchSpans, type Score, Tallies, type Tally, type TypedSpan } from './identifiers/score.ts';
import { readSentences, type Sentence } from './identifiers/sentences.ts';
import { type Material, megabytesPerSecond, speedMaterial } from './identifiers/speed.ts';
import { detectorsOf, NAMED, STRUCTURED } from './identifiers/types.ts';
import { readVectors, type Vector, vectorSolver } from './identifiers/vectors.ts';
import { readOptions } from './support/command-line.ts';
import { ratioOf } from './support/comparison.ts';

const USAGE = `npm run bench -- identifiers [FOLDER] [--misses TYPE] [--json]

Measures precision, recall, F1 and speed of the detectors, compared with packages for the same task.

  [FOLDER]       a corpus: FOLDER/identifiers/{sentences.json,recognizer-vectors.jsonl,validator-vectors.jsonl}
  --misses TYPE  only list the misses and false hits of one type, or of "all"
  --json         end with one JSON object on the last line`;

const options = readOptions(USAGE);
/** As long as the longest texts of a scan, because the cost may grow faster than the text. */
const CHARACTERS = options.smoke ? 50_000 : 5_000_000;
const ROUNDS = options.smoke ? 1 : 5;

const SENTENCE_TYPES: readonly string[] = [...STRUCTURED, ...NAMED];

type SentenceScores = { structured: Score; named: Score; byType: Record<string, Score & Tally> };

function scoreSentences(
  sentences: readonly Sentence[],
  types: readonly string[],
  find: (text: string) => TypedSpan[],
): SentenceScores {
  const tallies = new Tallies(types);
  for (const { text, spans } of sentences) tallies.count(matchSpans(find(text), spans));
  return {
    structured: tallies.overall(STRUCTURED),
    named: tallies.overall(NAMED),
    byType: tallies.byType(),
  };
}

function scoreVectors(vectors: readonly Vector[], isKindKnown: boolean) {
  const solve = vectorSolver(DETECTORS, { isKindKnown });
  const tallies = new Tallies([...new Set(vectors.map(({ type }) => type))].sort());
  for (const vector of vectors) tallies.count(solve(vector));
  return { ...tallies.overall(), byType: tallies.byType() };
}

/** Prints values of the corpus, which its owner may see. The product never prints values. */
function listMisses(sentences: readonly Sentence[], vectors: readonly Vector[], asked: string): void {
  const find = spanFinder(SENTENCE_TYPES, DETECTORS);
  const solve = vectorSolver(DETECTORS, { isKindKnown: true });
  const cases = [
    ...sentences.map(({ text, spans }) => ({ text, outcomes: () => matchSpans(find(text), spans) })),
    ...vectors.map((vector) => ({ text: vector.text, outcomes: () => solve(vector) })),
  ];
  for (const { text, outcomes } of cases) {
    for (const { kind, span } of outcomes()) {
      const isAsked = asked === 'all' ? SENTENCE_TYPES.includes(span.type) : span.type === asked;
      if (kind === 'hit' || !isAsked) continue;
      const quoted = JSON.stringify(text.slice(span.start, span.end));
      console.log(
        `${kind === 'miss' ? 'missed' : 'wrong '} ${span.type} ${quoted} in ${JSON.stringify(text)}`,
      );
    }
  }
}

function measureSpeed(material: Material, sentences: readonly string[], peers: readonly Peer[]) {
  const plain = plainLoop(DETECTORS);
  const withoutNames = DETECTORS.filter((detector) => 'patterns' in detector);
  const contestants = [
    { name: 'ours', run: (text: string) => void findHits(text, DETECTORS) },
    { name: 'ours, patterns only', run: (text: string) => void findHits(text, withoutNames) },
    plain,
    ...peers,
  ];
  const measure = (texts: readonly string[]) => {
    const rates = megabytesPerSecond(texts, contestants, ROUNDS);
    const ours = rates.ours ?? 0;
    const others = [plain, ...peers].map(({ name }) => [name, ratioOf(ours, rates[name] ?? 0)] as const);
    return { rates, ratios: Object.fromEntries(others) };
  };
  return {
    detectors: DETECTORS.length,
    plainPatterns: plain.patterns,
    prose: measure([material.prose]),
    denseCsv: measure([material.denseCsv]),
    /** Text by text, like the many short messages and files of a tenant. */
    sentences: measure(sentences),
  };
}

if (options.folder === undefined) {
  console.error(USAGE);
  process.exit(1);
}
const sentences = await readSentences(options.folder);
const sentenceTexts = sentences.map(({ text }) => text);
const allVectors = await readVectors(options.folder);
const isOurs = ({ type }: Vector) => detectorsOf(type, DETECTORS).length > 0;
const vectors = allVectors.filter(isOurs);

if (options.misses !== undefined) {
  listMisses(sentences, vectors, options.misses);
  process.exit(0);
}

const peers = await loadPeers(options.smoke);
const speed = measureSpeed(
  await speedMaterial(options.folder, sentenceTexts, CHARACTERS),
  sentenceTexts,
  peers,
);
const scoreOfPeer = new Map(
  peers.map(({ name, types, find }) => [name, scoreSentences(sentences, types, find)]),
);
const figures = {
  sentences: scoreSentences(sentences, SENTENCE_TYPES, spanFinder(SENTENCE_TYPES, DETECTORS)),
  vectors: scoreVectors(vectors, true),
  /** The same vectors, without stating the kind of the value. */
  vectorsOfUnknownKind: scoreVectors(vectors, false),
  skippedTypes: [...new Set(allVectors.filter((vector) => !isOurs(vector)).map(({ type }) => type))].sort(),
  /** All detectors on prose. `speed` has the other materials and the ratios to the peers. */
  mbPerSecond: speed.prose.rates.ours ?? 0,
  speed,
  /** The plain loop finds no types, so only its speed is compared. */
  peers: Object.fromEntries(
    Object.keys(speed.prose.ratios).map((name) => [
      name,
      { sentences: scoreOfPeer.get(name) ?? null, mbPerSecond: speed.prose.rates[name] ?? 0 },
    ]),
  ),
};

const cells = ({ precision, recall, f1 }: Score) => [precision, recall, f1].map((share) => share.toFixed(3));
const blank = ['', '', ''];
const everyone = [figures.sentences, ...scoreOfPeer.values()];
const headOfEach = ['ours', ...scoreOfPeer.keys()].flatMap((name) => [`${name}: P`, 'R', 'F1']);
console.log(
  renderTable(
    [`In ${sentences.length} sentences`, ...headOfEach],
    [
      ['structured', ...everyone.flatMap(({ structured }) => cells(structured))],
      ['named', ...everyone.flatMap(({ named }) => cells(named))],
      ...SENTENCE_TYPES.map((type) => [
        `  ${type}`,
        ...everyone.flatMap(({ byType }) => (byType[type] === undefined ? blank : cells(byType[type]))),
      ]),
    ],
  ),
);
console.log(
  renderTable(
    [`Of ${vectors.length} vectors`, 'P', 'R', 'F1', 'cases found', 'false', 'missed', 'F1 untold'],
    [
      ['overall', ...cells(figures.vectors), '', '', '', figures.vectorsOfUnknownKind.f1.toFixed(3)],
      ...Object.entries(figures.vectors.byType).map(([type, score]) => [
        `  ${type}`,
        ...cells(score),
        score.hit,
        score.falseHit,
        score.miss,
        (figures.vectorsOfUnknownKind.byType[type]?.f1 ?? 0).toFixed(3),
      ]),
    ],
  ),
);
if (peers.length === 0) console.log('Not compared: redact-pii, @redactpii/node\n');
console.log(`Types of vectors that no detector claims: ${figures.skippedTypes.join(', ') || 'none'}\n`);
const { prose, denseCsv, sentences: oneByOne } = speed;
console.log(
  renderTable(
    [
      `MB per second, ${speed.detectors} detectors, ${speed.plainPatterns} patterns`,
      'prose',
      'ours is × of it',
      'dense CSV',
      'ours is × of it',
      'sentences',
      'ours is × of it',
    ],
    Object.keys(prose.rates).map((name) => [
      name,
      prose.rates[name] ?? 0,
      prose.ratios[name] ?? '',
      denseCsv.rates[name] ?? 0,
      denseCsv.ratios[name] ?? '',
      oneByOne.rates[name] ?? 0,
      oneByOne.ratios[name] ?? '',
    ]),
  ),
);
if (options.json) console.log(JSON.stringify(figures));
