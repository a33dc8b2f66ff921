import { type Comparison, type Direction, type Entry, type Fragment, type Orders, TIME } from './fragment.ts';
import type { SimpleCondition } from './plan.ts';

const compare = (comparison: Comparison, measured?: 'size'): Fragment => ({
  comparison,
  ...(measured && { measured }),
});
export const QUANTITIES: readonly Entry[] = [
  ['more than', 'M', { ...compare('more'), compared: true }],
  ['over|above|greater than|exceeding|exceed|higher than|>', 'M', compare('more')],
  ['larger than|bigger than|heavier than', 'M', compare('more', 'size')],
  ['less than|fewer than', 'M', { ...compare('less'), compared: true }],
  ['under|below|lower than|<', 'M', compare('less')],
  ['smaller than', 'M', compare('less', 'size')],
  ['at least|no less than|not less than|no fewer than|minimum of|>=', 'M', compare('least')],
  ['at most|no more than|not more than|up to|maximum of|<=', 'M', compare('most')],
  ['exactly|equal to|=', 'M', compare('exactly')],
  ['between', 'M', compare('between')],
  [
    'or more|or higher|or worse|or above|and above|and higher|and worse|or greater|upward|+',
    'Y',
    compare('least'),
  ],
  ['or less|or fewer|or lower|or below|and below', 'Y', compare('most')],
  ['size|space|storage', 'y', { measured: 'size', by: { assets: 'size' } }],
  [
    'copy|identical copy|byte identical copy|duplicate copy',
    'y',
    { measured: 'copies', by: { assets: 'copies' } },
  ],
  ['confidence|score', 'y', { measured: 'confidence', by: { candidates: 'confidence' } }],
  ['byte|b', 'U', { factor: 1 }],
  ['kb|kilobyte|kib', 'U', { factor: 1_000 }],
  ['mb|megabyte|mib', 'U', { factor: 1_000_000 }],
  ['gb|gigabyte|gib', 'U', { factor: 1_000_000_000 }],
  ['tb|terabyte|tib', 'U', { factor: 1_000_000_000_000 }],
  ['%|percent', '%'],
];

const order = (direction: Direction, by: Orders): Fragment => ({ by, direction });
const CAN = ['can access', 'can read', 'can open', 'can see', 'can view', 'have access to', 'has access to'];
/** Who has access, as what rows are counted by. */
const whoCan = (people: string, ...readings: SimpleCondition[]): Entry => [
  people
    .split('|')
    .flatMap((each) => CAN.map((can) => `${each} ${can}`))
    .join('|'),
  'H',
  { dimensions: ['grantee'], ...(readings.length > 0 && { readings }) },
];

export const ASKS: readonly Entry[] = [
  whoCan('who|which people|which user|which person|what people|people who|everyone who'),
  whoCan(
    ['external user', 'external people', 'guest', 'outsider', 'people outside of company']
      .flatMap((who) => [`which ${who}`, `what ${who}`, `${who} who`, `${who} that`])
      .join('|'),
    { field: 'exposure', any: ['external'] },
  ),
  [
    'percentage of|share of|proportion of|fraction of|percent of|% of|what percentage of|what share of|what proportion of|what fraction of',
    'Q',
    { show: 'share' },
  ],
  ...(
    [
      ['highest|largest|greatest', 'descending'],
      ['lowest|smallest', 'ascending'],
    ] as const
  ).map(
    ([most, direction]): Entry => [
      most
        .split('|')
        .flatMap((each) => ['share', 'percentage', 'proportion'].map((share) => `${each} ${share} of`))
        .join('|'),
      'E',
      { show: 'share', direction },
    ],
  ),
  ['by|down by|through|via', 'b'],
  ['per|grouped by|group by|for each|in each|of each|broken down by|split by|for every|in every|each', 'g'],
  ['sorted by|ordered by|sort by|order by|ranked by|rank by', 'z'],
  ['name', 'y', { by: { assets: 'name', scopes: 'name' }, direction: 'ascending' }],
  ['date|time', 'y', { by: TIME }],
  [
    'how many|number of|count|count of|total number of|amount of|break|breakdown of|break down|quantity of',
    'Q',
    { show: 'count' },
  ],
  [
    `total size|total size of|size of|how much space|how much storage|how much data|sum of size|combined size|overall size|how big are|
     how large are`,
    'Q',
    { show: 'size' },
  ],
  ['how many more|how many fewer|how many less', 'Q', { show: 'count', compared: true }],
  ['than|compared with|compared to|versus', '0'],
  ['by number of|by count of|by the number of', '@'],
  [
    'newest|latest|most recent|most recently modified|most recently changed|most recently updated|most recently opened|recent|recently modified|recently changed|newest first',
    'O',
    order('descending', TIME),
  ],
  ['oldest|oldest first|least recently modified', 'O', order('ascending', TIME)],
  [
    'largest|biggest|largest first|biggest first',
    'O',
    order('descending', { assets: 'size', scopes: 'assetCount' }),
  ],
  ['smallest|smallest first', 'O', order('ascending', { assets: 'size', scopes: 'assetCount' })],
  [
    'riskiest|most risky|most at risk|highest risk|most severe|worst',
    'O',
    order('descending', { assets: 'risk', findings: 'severity' }),
  ],
  [
    'most critical',
    'O',
    {
      ...order('descending', { assets: 'risk', findings: 'severity' }),
      readings: [{ field: 'severity', any: ['critical'] }],
    },
  ],
  ['most copied|most duplicated|most copy|most duplicate', 'O', order('descending', { assets: 'copies' })],
  ['most confident|most certain|surest', 'O', order('descending', { candidates: 'confidence' })],
  ['least confident|least certain|most uncertain', 'O', order('ascending', { candidates: 'confidence' })],
  ['most valuable', 'O', order('descending', { candidates: 'value' })],
  [
    'alphabetically|alphabetical order|in alphabetical order',
    'O',
    order('ascending', { assets: 'name', scopes: 'name' }),
  ],
  ['most|highest number of|largest number of', 'E', { direction: 'descending' }],
  ['fewest|least|smallest number of|lowest number of', 'E', { direction: 'ascending' }],
  ['ascending', '<', { direction: 'ascending' }],
  ['descending', '<', { direction: 'descending' }],
  ['top|first', 'p'],
  ['which|what|in which|in what|on which|of which', 'h'],
];
