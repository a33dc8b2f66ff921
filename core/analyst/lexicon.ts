import type { DetectorFamily } from '../detectors/detector.ts';
import type { Dimension, Order, SimpleCondition, Subject } from './plan.ts';
import type { NameKind } from './vocabulary.ts';

export type TimeField = Extract<SimpleCondition, { from?: string | undefined }>['field'];
export type Comparison = 'more' | 'less' | 'least' | 'most' | 'exactly' | 'between';
export type Direction = 'ascending' | 'descending';
export type Orders = Partial<Record<Subject, Order>>;

/** What a phrase brings into a plan. What depends on the subject is given for each. */
export type Fragment = {
  /** A condition. The first reading that the subject has is meant. */
  readings?: readonly SimpleCondition[];
  subject?: Subject;
  /** The time of a verb. */
  time?: Partial<Record<Subject, TimeField>>;
  /** What a person did to a row, or has to do with it. */
  role?: 'owner' | 'requester' | 'acknowledgedBy';
  dimensions?: readonly Dimension[];
  /** What the name beside it is the name of. */
  names?: NameKind;
  by?: Orders;
  direction?: Direction;
  comparison?: Comparison;
  measured?: 'size' | 'copies' | 'confidence';
  factor?: number;
  show?: 'count' | 'size';
  field?: 'words' | 'name' | 'folder';
  /** It says no more than what is beside it. */
  idle?: true;
  /** The infinitive, which at the beginning is an order to do something. */
  infinitive?: true;
  /** People who may open something. What follows may say which people, and not which rows. */
  people?: true;
};

/**
 * The part of speech of a phrase, as one letter of the patterns in rules.ts.
 *
 * | Letter | Means | Letter | Means |
 * | --- | --- | --- | --- |
 * | N F K A Z | assets, findings, candidates, actions, scopes | C | condition |
 * | D T S P I L | name of a domain, type, scope, person, identifier, label | J | family of finds |
 * | V | verb with a time or person | W | window of time |
 * | l G | label, labelled | q | owner |
 * | d v y | dimension, level, quantity | s | severity |
 * | # U % M Y | number, unit, percent, comparison, `or more` | m t | before text, quoted text |
 * | & / ~ , n x X | and, or, but, comma, not, except, outside | 2 e ! | both, all, only |
 * | i o f r w k b g a u z | in, of, for, from, with, contain, by, per, as, about, sorted by | c | access |
 * | Q @ h p O E < | how many, by number of, which, top, order, most, direction | _ | unknown |
 */
export type Entry = readonly [phrases: string, tag: string, fragment?: Fragment];

/** Words without a meaning of their own. No other word of a question is passed over. */
const FUNCTION_WORDS = `a|an|the|that|is|are|was|were|be|been|being|am|has been|have been|had been|do|does|did|there|can|
  show|show me|give me|tell me|list|find|get|give|display|return|fetch|search|look up|see|
  please|kindly|hello|hi|thanks|thank you|inside|where|any|some|also|still|currently|now|right now|here|already|
  my|our|ours|my own|they|so far|then|too|exist|stored|kept|located|lie|live|held|
  content of type|for me|do we have|do i have|have we|we have|i have|i own|we own|could you|can you|will you|would you|could i|can i|could we|i want|we want|
  want to see|i need|we need|need to see|need to know|i want to see|i would like|we would like|would like|like to see|would like to see|i want to know|
  take|take up|use|used|occupy|to me|got|there is|there are|are there|is there|it`;

const is = (...readings: SimpleCondition[]): Fragment => ({ readings });
const noun = (subject: Subject, ...readings: SimpleCondition[]): Fragment => ({ subject, readings });
const assets = (field: 'format', ...any: string[]): Fragment => noun('assets', { field, any });
const UNOWNED: SimpleCondition = { field: 'owned', not: true };
const SHARED: SimpleCondition = {
  field: 'exposure',
  any: ['anyone', 'external', 'organization', 'broad_group'],
};
const OUTSIDE: Fragment = { ...is({ field: 'exposure', any: ['anyone', 'external'] }), people: true };
const status = (...any: Extract<SimpleCondition, { field: 'actionStatus' }>['any']) =>
  ({ field: 'actionStatus', any }) satisfies SimpleCondition;
const files = (kind: string) => `${kind} file|${kind} document|${kind} doc|${kind}`;

const NOUNS: readonly Entry[] = [
  ['asset|file|document|doc|item|thing|everything|anything|data', 'N', noun('assets')],
  [
    `spreadsheet|xlsx|xls|${files('excel')}|excel sheet|workbook`,
    'N',
    assets('format', 'xlsx', 'xls', 'xlsb', 'ods'),
  ],
  [files('pdf'), 'N', assets('format', 'pdf')],
  [
    'word file|word document|word doc|docx|word processing document',
    'N',
    assets('format', 'docx', 'doc', 'wordxml'),
  ],
  [
    `presentation|slide|slide deck|pptx|ppt|${files('powerpoint')}`,
    'N',
    assets('format', 'pptx', 'ppt', 'odp'),
  ],
  ['e mail message|email message|mail message|eml|msg', 'N', assets('format', 'eml', 'msg')],
  ['image|picture|photo|scan image', 'N', assets('format', 'image')],
  ['archive file|zip|zip file|zip archive', 'N', assets('format', 'zip')],
  ['table|database table|sql table|database view', 'N', assets('format', 'table')],
  ['text file|plain text file|txt|txt file', 'N', assets('format', 'text')],
  ['csv|csv file', 'N', assets('format', 'csv')],
  [
    `duplicate|duplicate file|duplicated file|duplicate document|duplicated document`,
    'N',
    noun('assets', { field: 'copies', min: 1 }),
  ],
  ['finding|risk finding|issue|risk issue|problem|alert', 'F', noun('findings')],
  [
    'label finding|labelling finding|labeling finding|label issue',
    'F',
    noun('findings', { field: 'findingKind', any: ['label'] }),
  ],
  ['location finding|location issue', 'F', noun('findings', { field: 'findingKind', any: ['location'] })],
  ['owner finding|ownership finding', 'F', noun('findings', { field: 'findingKind', any: ['no_owner'] })],
  ['candidate|review candidate|review|suggestion', 'K', noun('candidates')],
  [
    'waiting for review|wait for review|awaiting review|waiting for my review|waiting for our review|to review|waiting for an answer',
    'K',
    { ...noun('candidates', { field: 'candidateStatus', any: ['pending'] }), idle: true },
  ],
  ['action|remediation action|remediation|request|remediation request', 'A', noun('actions')],
  ['task', 'A', noun('actions', { field: 'actionKind', any: ['internal_task'] })],
  [
    'label change',
    'A',
    noun('actions', { field: 'actionKind', any: ['sensitivity_label_set', 'sensitivity_label_remove'] }),
  ],
  ['scope|source|site|library|container', 'Z', { ...noun('scopes'), names: 'scope', dimensions: ['scope'] }],
];

/** Kinds of what is found, as people call them. */
const FIND_WORDS: readonly (readonly [string, ...DetectorFamily[]])[] = [
  ['bank account number|bank account|bank detail|bank data', 'bank'],
  ['payment card|payment card number|card number|card data', 'payment'],
  ['medical information|medical data|health information|health data', 'health'],
  ['contact data|contact detail|contact information', 'contact'],
  ['password|secret|credential', 'secret'],
  ['salary data|salary information|salary', 'compensation'],
  ['birth date|date of birth', 'birth_date'],
  ['tax number|tax id|tax identification number', 'tax_id'],
  [
    'personal data|personal information|personally identifiable information|pii',
    ...(['national_id', 'tax_id', 'health', 'contact', 'person', 'birth_date', 'compensation'] as const),
  ],
];

const CONDITIONS: readonly Entry[] = [
  ['unlabelled|unlabeled|untagged', 'C', is({ field: 'labelState', any: ['unlabeled'] })],
  ['unknown label|label unknown|unknown label state', 'C', is({ field: 'labelState', any: ['unknown'] })],
  ...(['public', 'internal', 'confidential', 'restricted'] as const).map(
    (each): Entry => [each, 'C', is({ field: 'sensitivity', any: [each] })],
  ),
  ['sensitive', 'C', is({ field: 'sensitivity', any: ['confidential', 'restricted'] })],
  [
    'confirmed|confirmed by owner|confirmed by an owner|owner confirmed',
    'C',
    is({ field: 'candidateStatus', any: ['confirmed'] }, { field: 'provenance', any: ['confirmed'] }),
  ],
  ['unconfirmed', 'C', is({ field: 'provenance', any: ['confirmed'], not: true })],
  [
    'inferred|guessed|model assigned|assigned by the model|model inferred|inferred by the model|the model assigned to',
    'C',
    is({ field: 'provenance', any: ['inferred'] }),
  ],
  [
    'routed|sent by colleague',
    'C',
    is({ field: 'candidateStatus', any: ['routed'] }, { field: 'provenance', any: ['routed'] }),
  ],
  ['unclassified|in no domain|without a domain', 'C', is({ field: 'provenance', any: ['unclassified'] })],
  ...(
    [
      ['critical', 'critical'],
      ['high|severe', 'high'],
      ['medium|moderate', 'medium'],
      ['low', 'low'],
    ] as const
  ).map(([words, each]): Entry => [words, 's', is({ field: 'severity', any: [each] })]),
  [
    'open',
    'C',
    {
      ...is(
        { field: 'findingStatus', any: ['open', 'reopened'] },
        { field: 'candidateStatus', any: ['pending'] },
        status('draft', 'blocked', 'awaiting_approval', 'approved', 'executing', 'drifted'),
      ),
      idle: true,
    },
  ],
  ['unacknowledged', 'C', is({ field: 'findingStatus', any: ['open', 'reopened'] })],
  ['unresolved|outstanding', 'C', is({ field: 'findingStatus', any: ['open', 'acknowledged', 'reopened'] })],
  ['reopened', 'C', is({ field: 'findingStatus', any: ['reopened'] })],
  [
    'pending|waiting|unanswered|undecided',
    'C',
    is({ field: 'candidateStatus', any: ['pending'] }, status('awaiting_approval')),
  ],
  ['deferred|put off|postponed', 'C', is({ field: 'candidateStatus', any: ['deferred'] })],
  ['rejected', 'C', is({ field: 'candidateStatus', any: ['rejected'] }, status('rejected'))],
  ['withdrawn', 'C', is({ field: 'candidateStatus', any: ['withdrawn'] })],
  ['high confidence|high band', 'C', is({ field: 'band', any: ['high'] })],
  ['draft|drafted', 'C', is(status('draft'))],
  ['blocked', 'C', is(status('blocked'))],
  [
    'awaiting approval|waiting for approval|wait for approval|to be approved|need approval|need to be approved|still to be approved|yet to be approved|pending approval|awaiting decision',
    'C',
    is(status('awaiting_approval')),
  ],
  ['approved', 'C', is(status('approved'))],
  ['executing|running|in progress', 'C', is(status('executing'))],
  ['verified|done|completed|succeeded', 'C', is(status('verified'))],
  ['failed', 'C', is(status('failed'), { field: 'contentState', any: ['failed'] })],
  ['cancelled|canceled', 'C', is(status('cancelled'))],
  ['drifted', 'C', is(status('drifted'))],
  ['stale|out of date|outdated|behind', 'C', is({ field: 'coverage', any: ['stale'] })],
  ['never scanned|never been scanned|unscanned', 'C', is({ field: 'coverage', any: ['never'] })],
  ['exposure|exposed access|oversharing', 'C', is({ field: 'findingKind', any: ['exposure'] })],
  ['wrong label|weak label', 'C', is({ field: 'findingKind', any: ['label'] })],
  ['wrong location|wrong place|misplaced', 'C', is({ field: 'findingKind', any: ['location'] })],
  ['unmanaged copy', 'C', is({ field: 'findingKind', any: ['unmanaged_copy'] })],
  ['stale access', 'C', is({ field: 'findingKind', any: ['stale_access'] })],
  [
    'unowned|ownerless|nobody own|no one own|orphaned|not owned by anyone|not owned by anybody|owned by no one|owned by nobody',
    'C',
    is(UNOWNED),
  ],
  [
    'unreadable|unreadable content|content unreadable|not readable|could not be read|content could not be read|cannot be read|content cannot be read|can not be read|content not available|content unavailable|unavailable content',
    'C',
    is({ field: 'contentState', any: ['unsupported', 'failed', 'inaccessible'] }),
  ],
  ['unsupported', 'C', is({ field: 'contentState', any: ['unsupported'] })],
  ['inaccessible', 'C', is({ field: 'contentState', any: ['inaccessible'] })],
  ['partly read|partially read|partial content', 'C', is({ field: 'contentState', any: ['partial'] })],
  ['not fetched|content not fetched', 'C', is({ field: 'contentState', any: ['not_fetched'] })],
  ['readable|content available', 'C', is({ field: 'contentState', any: ['available', 'partial'] })],
  [
    `shared externally|externally shared|external sharing|externally|external|exposed externally|externally exposed|
     external people|external user|external access|guest|outsider|shared with guest|shared with external people|
     ${['shared outside', 'outside', 'people outside', 'user outside', 'shared with people outside']
       .flatMap((before) =>
         ['organization', 'organisation', 'company'].map(
           (of) => `${before} ${of}|${before} of ${of}|${before} our ${of}|${before} my ${of}`,
         ),
       )
       .join('|')}`,
    'C',
    OUTSIDE,
  ],
  [
    `public link|anonymous link|anyone with link|anyone with public link|anyone|public access|publicly shared|shared publicly|exposed to public|
     exposed to anyone|anonymous|open to anyone|shared by anonymous link|shared by link|anonymously shared`,
    'C',
    { ...is({ field: 'exposure', any: ['anyone'] }), people: true },
  ],
  [
    `${['everyone', 'everybody', 'shared with everyone', 'shared with everybody'].flatMap((who) => ['organization', 'organisation', 'company'].map((of) => `${who} in ${of}|${who} in our ${of}`)).join('|')}|
     all employee|whole organization|whole organisation|whole company|organization wide|organisation wide|company wide|broadly shared|widely shared`,
    'C',
    { ...is({ field: 'exposure', any: ['organization', 'broad_group'] }), people: true },
  ],
  // A link for anyone is for everyone too.
  [
    'shared with everyone|shared with everybody|everyone|everybody',
    'C',
    { ...is({ field: 'exposure', any: ['anyone', 'organization', 'broad_group'] }), people: true },
  ],
  ['shared|overshared|exposed|over exposed|overexposed', 'C', is(SHARED)],
  [
    'unshared|shared with no one|shared with nobody|not shared with anyone|not shared with anybody|not exposed to anyone|not open to anyone',
    'C',
    is({ ...SHARED, not: true }),
  ],
  ['chat|chat message|team chat', 'C', is({ field: 'family', any: ['chat'] })],
  ['mail|mailbox|e mail|email', 'C', is({ field: 'family', any: ['mail'] })],
  ['file share|smb|smb share|network share', 'C', is({ field: 'family', any: ['smb'] })],
  ['microsoft 365|m365|sharepoint', 'C', is({ field: 'family', any: ['m365'] })],
  ['database|sql|sql database', 'C', is({ field: 'family', any: ['sql'] })],
  ['blob storage|blob', 'C', is({ field: 'family', any: ['blob'] })],
  ['s3|s3 bucket|s3 store', 'C', is({ field: 'family', any: ['s3'] })],
  ['copied', 'C', is({ field: 'copies', min: 1 })],
  ...FIND_WORDS.map(([words, ...any]): Entry => [words, 'J', is({ field: 'findFamily', any })]),
];

const NEW = { assets: 'firstSeen', findings: 'opened', candidates: 'asked', actions: 'requested' } as const;
const RESOLVED: Fragment = {
  time: { findings: 'resolved' },
  ...is({ field: 'findingStatus', any: ['resolved'] }),
};
const ACKNOWLEDGED: Fragment = {
  time: { findings: 'acknowledged' },
  role: 'acknowledgedBy',
  ...is({ field: 'findingStatus', any: ['acknowledged'] }),
};
const SCANNED: Fragment = {
  time: { scopes: 'scanned' },
  ...is({ field: 'coverage', any: ['never'], not: true }),
};
const VERBS: readonly Entry[] = [
  [
    'modified|changed|edited|updated|touched|last modified|last changed|last edited|last updated|last touched|nobody touched|nobody has touched',
    'V',
    { time: { assets: 'modified' } },
  ],
  ['created|made', 'V', { time: { ...NEW, assets: 'created' } }],
  ['modify|change', 'V', { time: { assets: 'modified' }, infinitive: true }],
  ['create', 'V', { time: { ...NEW, assets: 'created' }, infinitive: true }],
  [
    'new|first seen|discovered|found|appeared|did you find|did we find|you find|we find|scan find',
    'V',
    { time: NEW, by: { assets: 'changed', findings: 'opened', candidates: 'asked', actions: 'requested' } },
  ],
  ['classified|classified as|classified to', 'V', { time: { assets: 'classified' }, idle: true }],
  ['opened|raised|reported', 'V', { time: { findings: 'opened' }, idle: true }],
  ['resolved|fixed|closed', 'V', RESOLVED],
  ['resolve|fix|close', 'V', { ...RESOLVED, infinitive: true }],
  ['asked', 'V', { time: { candidates: 'asked' }, idle: true }],
  [
    'answered|decided',
    'V',
    {
      time: { candidates: 'answered' },
      ...is({ field: 'candidateStatus', any: ['confirmed', 'rejected', 'routed', 'deferred'] }),
    },
  ],
  ['requested|submitted', 'V', { time: { actions: 'requested' }, role: 'requester', idle: true }],
  ['acknowledged', 'V', ACKNOWLEDGED],
  ['acknowledge', 'V', { ...ACKNOWLEDGED, infinitive: true }],
  ['owned', 'V', { role: 'owner', ...is({ field: 'owned' }) }],
  ['own', 'V', { role: 'owner', infinitive: true }],
  ['scanned|last scanned', 'V', SCANNED],
  ['scan', 'V', { ...SCANNED, infinitive: true }],
];

const dimension = (...dimensions: Dimension[]): Fragment => ({ dimensions });
const DIMENSIONS: readonly Entry[] = [
  ['domain|business domain', 'd', { ...dimension('domain'), names: 'domain' }],
  [
    'information type|type|document type|type of document|kind of document',
    'd',
    { ...dimension('type'), names: 'type' },
  ],
  ['location', 'd', { ...dimension('scope'), names: 'scope' }],
  ['owner|domain owner', 'q', { ...dimension('owner'), names: 'person', role: 'owner' }],
  ['requester', 'd', { ...dimension('requester'), names: 'person', role: 'requester' }],
  ['format|file type|file format', 'd', dimension('format')],
  [
    'status|state',
    'd',
    dimension('findingStatus', 'candidateStatus', 'actionStatus', 'coverage', 'contentState'),
  ],
  ['content state|content status', 'd', dimension('contentState')],
  ['kind|finding kind|kind of finding|action kind', 'd', dimension('findingKind', 'actionKind')],
  ['source family|family', 'd', dimension('family')],
  ['provenance', 'd', dimension('provenance')],
  ['band|confidence band', 'd', dimension('band')],
  ['label state', 'd', dimension('labelState')],
  ['month', 'd', dimension('openedMonth', 'modifiedMonth')],
  ['coverage', 'd', dimension('coverage')],
  ['label|sensitivity label', 'l', { ...dimension('label'), names: 'label' }],
  ['labelled|labeled|tagged|marked|labelled as|labeled as|tagged as|marked as', 'G'],
  ['risk|risk severity|risk level', 'v', dimension('risk', 'severity')],
  ['severity', 'v', dimension('severity', 'risk')],
];

const compare = (comparison: Comparison, measured?: 'size'): Fragment => ({
  comparison,
  ...(measured && { measured }),
});
const QUANTITIES: readonly Entry[] = [
  ['more than|over|above|greater than|exceeding|exceed|higher than|>', 'M', compare('more')],
  ['larger than|bigger than|heavier than', 'M', compare('more', 'size')],
  ['less than|fewer than|under|below|lower than|<', 'M', compare('less')],
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

/** The time that is meant where no verb says which. */
export const TIME = {
  assets: 'modified',
  findings: 'opened',
  candidates: 'asked',
  actions: 'requested',
  scopes: 'scanned',
} as const satisfies Record<Subject, TimeField & Order>;

const order = (direction: Direction, by: Orders): Fragment => ({ by, direction });
const ASKS: readonly Entry[] = [
  ['by|down by', 'b'],
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
    'riskiest|most risky|most at risk|highest risk|worst',
    'O',
    order('descending', { assets: 'risk', findings: 'severity' }),
  ],
  [
    'most critical|most severe',
    'O',
    {
      ...order('descending', { assets: 'risk', findings: 'severity' }),
      ...is({ field: 'severity', any: ['critical'] }),
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

const OTHERS: readonly Entry[] = [
  [FUNCTION_WORDS, ''],
  ['and|as well as|plus|and also|along with', '&'],
  [',', ','],
  ['or', '/'],
  ['but', '~'],
  [
    'not|no|without|never|lack|lack of|lacking|missing|neither|nor|non|yet to|yet to be|still to|still to be|remain to be|!=|have no|has no|do not have|does not have',
    'n',
  ],
  ['outside|outside of', 'X'],
  ['except|except for|excluding|other than|apart from|besides|exclude|with the exception of', 'x'],
  ['both|either', '2'],
  ['all|every|each of|all of', 'e'],
  ['only|just|exclusively', '!'],
  [
    'in|on|at|within|into|under|stored in|stored on|present in',
    'i',
  ],
  ['belong to|belonging to|assigned to|tied to', 'i', { idle: true }],
  ['of', 'o'],
  ['for', 'f'],
  ['from', 'r'],
  ['with|whose', 'w'],
  ['has|have|having', 'w', { idle: true }],
  ['to', 't'],
  ['as', 'a'],
  ['about|regarding|concerning', 'u'],
  ['contain|containing|hold|holding|include|including', 'k'],
  [
    'mentioning|mention|matching|word|phrase|term|keyword|text|contain word|containing word|with word',
    'm',
    { field: 'words' },
  ],
  ['named|called|titled|whose name contain|with name', 'm', { field: 'name' }],
  ['folder|directory|in folder|in directory', 'm', { field: 'folder' }],
  [
    'access|accessible|reachable|reach|read|view|can open|visible|available|open to|accessible to|visible to|available to|can access|can read|can see',
    'c',
  ],
  // What is to be, may be or once was; what somebody else is asked; a question for yes or no.
  [
    `will|would|could|should|must|may|might|need|want|had|used to|used to be|ever|as of|assigned to me|of mine|what about|how about|
     my request|my task|my action|are all|is every|are no|are there no|is there no|do not we have|are not there|is not there|do we not have|
     been resolved all|is anybody|is anyone|never shared|never labelled|never labeled`,
    '_',
  ],
];

export const LEXICON: readonly Entry[] = [
  ...OTHERS,
  ...NOUNS,
  ...CONDITIONS,
  ...VERBS,
  ...DIMENSIONS,
  ...QUANTITIES,
  ...ASKS,
];
