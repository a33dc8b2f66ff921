import type { Comparison, Meaning } from './meaning.ts';
import type { Order, Subject } from './plan.ts';
import { TIME } from './times.ts';

/** Phrases, separated by `|`, with what they mean. Plurals need not be given. */
export type Entry = readonly [phrases: string, meaning: Meaning];

const compare = (comparison: Comparison, field?: 'size' | 'confidence'): Meaning => ({
  kind: 'compare',
  comparison,
  ...(field && { field }),
});
const order = (direction: 'ascending' | 'descending', by: Partial<Record<Subject, Order>>): Meaning => ({
  kind: 'order',
  by,
  direction,
});

/** What compares and measures. */
export const QUANTITIES: readonly Entry[] = [
  ['more than|over|above|greater than|exceeding|exceed|higher than|>', compare('more')],
  ['larger than|bigger than|heavier than', compare('more', 'size')],
  ['less than|fewer than|under|below|lower than|<', compare('less')],
  ['smaller than', compare('less', 'size')],
  ['at least|no less than|not less than|no fewer than|minimum of|>=', compare('least')],
  ['at most|no more than|not more than|up to|maximum of|<=', compare('most')],
  ['exactly|equal to|=', compare('exactly')],
  ['between', compare('between')],
  [
    'or more|or higher|or worse|or above|and above|and higher|and worse|or greater|upward|+',
    { kind: 'orBeyond', comparison: 'least' },
  ],
  ['or less|or fewer|or lower|or below|and below', { kind: 'orBeyond', comparison: 'most' }],
  ['size|space|storage', { kind: 'quantity', field: 'size' }],
  ['copy|identical copy|byte identical copy|duplicate copy', { kind: 'quantity', field: 'copies' }],
  ['confidence|score', { kind: 'quantity', field: 'confidence' }],
  ['byte|b', { kind: 'unit', bytes: 1 }],
  ['kb|kilobyte|kib', { kind: 'unit', bytes: 1_000 }],
  ['mb|megabyte|mib', { kind: 'unit', bytes: 1_000_000 }],
  ['gb|gigabyte|gib', { kind: 'unit', bytes: 1_000_000_000 }],
  ['tb|terabyte|tib', { kind: 'unit', bytes: 1_000_000_000_000 }],
  ['%|percent', { kind: 'percent' }],
];

/** What asks for counts, groups and an order. */
export const ASKS: readonly Entry[] = [
  [
    'by|per|grouped by|group by|for each|in each|of each|broken down by|down by|split by|for every|in every|each',
    { kind: 'by' },
  ],
  ['sorted by|ordered by|sort by|order by|ranked by|rank by', { kind: 'sort' }],
  [
    'how many|number of|count|count of|total number of|amount of|break|breakdown of|break down|by number of|by count of',
    { kind: 'ask', show: 'count' },
  ],
  [
    'total size|total size of|how much space|how much storage|how much data|sum of size|combined size|overall size|how big are|how large are',
    { kind: 'ask', show: 'size' },
  ],
  [
    'newest|latest|most recent|most recently modified|most recently changed|most recently updated|most recently opened|recent|recently modified|recently changed|newest first',
    order('descending', TIME),
  ],
  ['oldest|oldest first|least recently modified', order('ascending', TIME)],
  ['largest|biggest', order('descending', { assets: 'size', scopes: 'assetCount' })],
  ['smallest', order('ascending', { assets: 'size', scopes: 'assetCount' })],
  [
    'riskiest|most risky|most at risk|highest risk|most critical|most severe|worst',
    order('descending', { assets: 'risk', findings: 'severity' }),
  ],
  ['most copied|most duplicated|most copy|most duplicate', order('descending', { assets: 'copies' })],
  ['most confident|most certain|surest', order('descending', { candidates: 'confidence' })],
  ['least confident|least certain|most uncertain', order('ascending', { candidates: 'confidence' })],
  ['most valuable', order('descending', { candidates: 'value' })],
  [
    'alphabetically|alphabetical order|in alphabetical order',
    order('ascending', { assets: 'name', scopes: 'name' }),
  ],
  ['most', { kind: 'extreme', direction: 'descending' }],
  ['fewest|least', { kind: 'extreme', direction: 'ascending' }],
  ['ascending', { kind: 'direction', direction: 'ascending' }],
  ['descending', { kind: 'direction', direction: 'descending' }],
  ['top|first', { kind: 'top' }],
  ['which|what|in which|in what', { kind: 'which' }],
];
