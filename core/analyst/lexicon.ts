import type { DetectorFamily } from '../detectors/detector.ts';
import { ASKS, type Entry, QUANTITIES } from './lexicon-of-questions.ts';
import type { Meaning } from './meaning.ts';
import type { SimpleCondition, Subject } from './plan.ts';

const is = (...readings: SimpleCondition[]): Meaning => ({ kind: 'value', readings });
const noun = (subject: Subject, ...where: SimpleCondition[]): Meaning => ({ kind: 'noun', subject, where });
const format = (...any: string[]): SimpleCondition => ({ field: 'format', any });
const OUTSIDE = is({ field: 'exposure', any: ['anyone', 'external'] });
const ANYONE = is({ field: 'exposure', any: ['anyone'] });
const EVERYONE = is({ field: 'exposure', any: ['organization', 'broad_group'] });
const ALL_PEOPLE = is({ field: 'exposure', any: ['anyone', 'organization', 'broad_group'] });
const SPREADSHEET = format('xlsx', 'xls', 'xlsb', 'ods');
const WORD = format('docx', 'doc', 'wordxml');
const SLIDES = format('pptx', 'ppt', 'odp');
const EMAIL = format('eml', 'msg');
const UNOWNED: SimpleCondition = { field: 'owned', not: true };
const SHARED_CONDITION: SimpleCondition = {
  field: 'exposure',
  any: ['anyone', 'external', 'organization', 'broad_group'],
};
const SHARED = is(SHARED_CONDITION);
const FILE = 'file|document|doc';

const FILLERS = `a|an|the|of|in|on|at|for|to|from|with|that|which are|are|is|was|were|be|been|being|am|has|have|having|
  do|does|did|there|their|its|can|like to|see|look|up|i|you|my|mine|our|ours|us|
  we|me|please|show|show me|list|find|give|get|tell|display|return|fetch|search|where|any|all|every|each of|some|also|still|
  currently|now|right now|as|whose|exist|stored|kept|located|lie|live|inside|into|within|belong|belonging|belong to|belonging to|so|
  far|than|too|then|here|yet|already|got|get|hello|hi|thanks|thank you|kindly|know|about how|either|present|present in|
  assigned|assigned to|tied|tied to|and also|there is|take|take up|
  use|used|only|just|occupy|both|could you|would you|can you|will you|could i|could we|i want|we want|want to see|
  i need|we need|need to see|need to know|i would like|we would like|would like to see|would like|are there|do we have|do i have|we have|i have|i own|we own|content of type|of type|of kind|for me|to me`;

const NOUNS: readonly Entry[] = [
  [`asset|${FILE}|item|thing|everything|anything|data`, noun('assets')],
  [
    `spreadsheet|xlsx|xls|excel|excel ${FILE.split('|').join('|excel ')}|excel sheet|workbook`,
    noun('assets', SPREADSHEET),
  ],
  [`pdf|pdf ${FILE.split('|').join('|pdf ')}`, noun('assets', format('pdf'))],
  [`word ${FILE.split('|').join('|word ')}|docx`, noun('assets', WORD)],
  [
    `presentation|slide|slide deck|pptx|ppt|powerpoint|powerpoint ${FILE.split('|').join('|powerpoint ')}`,
    noun('assets', SLIDES),
  ],
  [`e mail message|email message|mail message|eml|msg`, noun('assets', EMAIL)],
  ['image|picture|photo|scan image', noun('assets', format('image'))],
  ['archive file|zip|zip file|zip archive', noun('assets', format('zip'))],
  ['table|database table|sql table|database view', noun('assets', format('table'))],
  ['text file|plain text file|txt|txt file', noun('assets', format('text'))],
  ['csv|csv file', noun('assets', format('csv'))],
  [
    'duplicate|duplicated file|duplicate file|duplicated document|duplicate document',
    noun('assets', { field: 'copies', min: 1 }),
  ],
  ['finding|risk finding|issue|risk issue|problem|alert', noun('findings')],
  [
    'label finding|labelling finding|labeling finding|label issue',
    noun('findings', { field: 'findingKind', any: ['label'] }),
  ],
  ['location finding|location issue', noun('findings', { field: 'findingKind', any: ['location'] })],
  ['owner finding|ownership finding', noun('findings', { field: 'findingKind', any: ['no_owner'] })],
  ['candidate|review candidate|review|suggestion', noun('candidates')],
  [
    'waiting for review|wait for review|awaiting review|waiting for my review|to review|waiting for an answer',
    noun('candidates', { field: 'candidateStatus', any: ['pending'] }),
  ],
  ['action|remediation action|remediation|request|remediation request', noun('actions')],
  ['task', noun('actions', { field: 'actionKind', any: ['internal_task'] })],
  [
    'label change',
    noun('actions', { field: 'actionKind', any: ['sensitivity_label_set', 'sensitivity_label_remove'] }),
  ],
  ['scope|source|site|library|container', noun('scopes')],
];

/** Kinds of what is found, as people call them. */
const FIND_WORDS: readonly (readonly [string, ...DetectorFamily[]])[] = [
  ['bank account number|bank account|bank detail|bank data', 'bank'],
  ['payment card|payment card number|card number|card data', 'payment'],
  ['medical information|medical data|health information|health data', 'health'],
  ['contact data|contact detail|contact information', 'contact'],
  ['password|secret|credential', 'secret'],
  [
    'personal data|personal information|personally identifiable information|pii',
    ...(['national_id', 'tax_id', 'health', 'contact', 'person', 'birth_date', 'compensation'] as const),
  ],
];

const VALUES: readonly Entry[] = [
  ['unlabelled|unlabeled|untagged', is({ field: 'labelState', any: ['unlabeled'] })],
  ['unknown label|label unknown|unknown label state', is({ field: 'labelState', any: ['unknown'] })],
  ['public', is({ field: 'sensitivity', any: ['public'] })],
  ['internal', is({ field: 'sensitivity', any: ['internal'] })],
  ['confidential', is({ field: 'sensitivity', any: ['confidential'] })],
  ['restricted', is({ field: 'sensitivity', any: ['restricted'] })],
  ['sensitive', is({ field: 'sensitivity', any: ['confidential', 'restricted'] })],
  [
    'confirmed|confirmed by owner|confirmed by an owner|owner confirmed',
    is({ field: 'candidateStatus', any: ['confirmed'] }, { field: 'provenance', any: ['confirmed'] }),
  ],
  ['unconfirmed', is({ field: 'provenance', any: ['confirmed'], not: true })],
  [
    'inferred|guessed|model assigned|assigned by the model|model inferred|inferred by the model',
    is({ field: 'provenance', any: ['inferred'] }),
  ],
  [
    'routed|sent by colleague',
    is({ field: 'candidateStatus', any: ['routed'] }, { field: 'provenance', any: ['routed'] }),
  ],
  ['critical', is({ field: 'severity', any: ['critical'] }, { field: 'risk', any: ['critical'] })],
  ['high|severe', is({ field: 'severity', any: ['high'] }, { field: 'risk', any: ['high'] })],
  ['medium|moderate', is({ field: 'severity', any: ['medium'] }, { field: 'risk', any: ['medium'] })],
  ['low', is({ field: 'severity', any: ['low'] }, { field: 'risk', any: ['low'] })],
  [
    'open',
    is(
      { field: 'findingStatus', any: ['open', 'reopened'] },
      { field: 'candidateStatus', any: ['pending'] },
      {
        field: 'actionStatus',
        any: ['draft', 'blocked', 'awaiting_approval', 'approved', 'executing', 'drifted'],
      },
    ),
  ],
  ['unacknowledged', is({ field: 'findingStatus', any: ['open', 'reopened'] })],
  ['unresolved|outstanding', is({ field: 'findingStatus', any: ['open', 'acknowledged', 'reopened'] })],
  ['reopened', is({ field: 'findingStatus', any: ['reopened'] })],
  [
    'pending|waiting|unanswered|undecided',
    is({ field: 'candidateStatus', any: ['pending'] }, { field: 'actionStatus', any: ['awaiting_approval'] }),
  ],
  ['deferred|put off|postponed', is({ field: 'candidateStatus', any: ['deferred'] })],
  [
    'rejected',
    is({ field: 'candidateStatus', any: ['rejected'] }, { field: 'actionStatus', any: ['rejected'] }),
  ],
  ['withdrawn', is({ field: 'candidateStatus', any: ['withdrawn'] })],
  ['high confidence|high band', is({ field: 'band', any: ['high'] })],
  ['draft|drafted', is({ field: 'actionStatus', any: ['draft'] })],
  ['blocked', is({ field: 'actionStatus', any: ['blocked'] })],
  [
    'awaiting approval|waiting for approval|wait for approval|to be approved|need approval|need to be approved|still to be approved|yet to be approved|pending approval|awaiting decision',
    is({ field: 'actionStatus', any: ['awaiting_approval'] }),
  ],
  ['approved', is({ field: 'actionStatus', any: ['approved'] })],
  ['executing|running|in progress', is({ field: 'actionStatus', any: ['executing'] })],
  ['verified|done|completed|succeeded', is({ field: 'actionStatus', any: ['verified'] })],
  ['failed', is({ field: 'actionStatus', any: ['failed'] }, { field: 'contentState', any: ['failed'] })],
  ['cancelled|canceled', is({ field: 'actionStatus', any: ['cancelled'] })],
  ['drifted', is({ field: 'actionStatus', any: ['drifted'] })],
  ['stale|out of date|outdated|behind', is({ field: 'coverage', any: ['stale'] })],
  ['never scanned|never been scanned|unscanned', is({ field: 'coverage', any: ['never'] })],
  ['exposure|exposed access|oversharing', is({ field: 'findingKind', any: ['exposure'] })],
  [
    'missing label',
    is({ field: 'findingKind', any: ['label'] }, { field: 'labelState', any: ['unlabeled'] }),
  ],
  ['wrong label|weak label', is({ field: 'findingKind', any: ['label'] })],
  ['wrong location|wrong place|misplaced', is({ field: 'findingKind', any: ['location'] })],
  ['unmanaged copy', is({ field: 'findingKind', any: ['unmanaged_copy'] })],
  ['stale access', is({ field: 'findingKind', any: ['stale_access'] })],
  ['missing owner|no owner|lack of owner', is({ field: 'findingKind', any: ['no_owner'] }, UNOWNED)],
  [
    'unowned|ownerless|nobody own|no one own|orphaned|not owned by anyone|not owned by anybody|owned by no one|owned by nobody',
    is(UNOWNED),
  ],
  [
    'unreadable|unreadable content|content unreadable|not readable|could not be read|content could not be read|cannot be read|content cannot be read|can not be read|content not available|content unavailable|unavailable content',
    is({ field: 'contentState', any: ['unsupported', 'failed', 'inaccessible'] }),
  ],
  ['unsupported', is({ field: 'contentState', any: ['unsupported'] })],
  ['inaccessible', is({ field: 'contentState', any: ['inaccessible'] })],
  ['partly read|partially read|partial content', is({ field: 'contentState', any: ['partial'] })],
  ['not fetched|content not fetched', is({ field: 'contentState', any: ['not_fetched'] })],
  ['readable|content available', is({ field: 'contentState', any: ['available', 'partial'] })],
  [
    'shared externally|externally shared|external sharing|externally|shared outside|shared outside organization|shared outside organisation|shared outside company|outside organization|outside organisation|outside company|people outside|people outside organization|people outside organisation|people outside company|external people|external user|external access|guest|outsider|exposed externally|externally exposed|external',
    OUTSIDE,
  ],
  [
    'public link|anonymous link|anyone with link|anyone|public access|publicly shared|shared publicly|exposed to public|exposed to anyone|anonymous|open to anyone',
    ANYONE,
  ],
  [
    'shared with everyone in organization|shared with everyone in organisation|shared with everyone in company|everyone in organization|everyone in organisation|everyone in company|everybody in organization|everybody in organisation|everybody in company|all employee|whole organization|whole organisation|whole company|organization wide|organisation wide|company wide|broadly shared|widely shared',
    EVERYONE,
  ],
  // A link for anyone is for everyone too.
  ['shared with everyone|shared with everybody|everyone|everybody', ALL_PEOPLE],
  ['shared|overshared|exposed|over exposed|overexposed', SHARED],
  [
    `unshared|shared with no one|shared with nobody|not shared with anyone|
    not shared with anybody|not exposed to anyone|not open to anyone`,
    is({ ...SHARED_CONDITION, not: true }),
  ],
  ...FIND_WORDS.map(([words, ...any]): Entry => [words, is({ field: 'findFamily', any })]),
  ['unclassified', is({ field: 'provenance', any: ['unclassified'] })],
  ['chat|chat message|team chat', is({ field: 'family', any: ['chat'] })],
  ['mail|mailbox|e mail|email', is({ field: 'family', any: ['mail'] })],
  ['file share|smb|smb share|network share', is({ field: 'family', any: ['smb'] })],
  ['microsoft 365|m365|sharepoint', is({ field: 'family', any: ['m365'] })],
  ['database|sql|sql database', is({ field: 'family', any: ['sql'] })],
  ['blob storage|blob', is({ field: 'family', any: ['blob'] })],
  ['s3|s3 bucket|s3 store', is({ field: 'family', any: ['s3'] })],
  ['onedrive', is({ field: 'family', any: ['drive'] })],
  ['google drive|gdrive|google workspace', is({ field: 'family', any: ['cloud_drive'] })],
  ['box|box com', is({ field: 'family', any: ['file_box'] })],
  ['copied', is({ field: 'copies', min: 1 })],
];

const NEW = { assets: 'firstSeen', findings: 'opened', candidates: 'asked', actions: 'requested' } as const;
const VERBS: readonly Entry[] = [
  [
    'modified|changed|edited|updated|touched|last modified|last changed|last edited|last updated|last touched|modify|change',
    { kind: 'verb', time: { assets: 'modified' } },
  ],
  ['created|made|create', { kind: 'verb', time: { ...NEW, assets: 'created' } }],
  [
    'new|first seen|discovered|found|appeared|did you find|did we find|you find|we find|scan find',
    { kind: 'verb', time: NEW, newest: true },
  ],
  ['classified|classified as|classified to', { kind: 'verb', time: { assets: 'classified' }, idle: true }],
  ['opened|raised|reported', { kind: 'verb', time: { findings: 'opened' } }],
  [
    'resolved|fixed|closed|resolve|fix|close',
    {
      kind: 'verb',
      time: { findings: 'resolved' },
      readings: [{ field: 'findingStatus', any: ['resolved'] }],
    },
  ],
  ['asked', { kind: 'verb', time: { candidates: 'asked' } }],
  [
    'answered',
    {
      kind: 'verb',
      time: { candidates: 'answered' },
      readings: [{ field: 'candidateStatus', any: ['confirmed', 'rejected', 'routed', 'deferred'] }],
    },
  ],
  ['requested|submitted', { kind: 'verb', time: { actions: 'requested' }, role: 'requester' }],
  [
    'acknowledged|acknowledge',
    {
      kind: 'verb',
      time: { findings: 'acknowledged' },
      role: 'acknowledgedBy',
      readings: [{ field: 'findingStatus', any: ['acknowledged'] }],
    },
  ],
  ['owned|own', { kind: 'verb', role: 'owner', readings: [{ field: 'owned' }] }],
  [
    'scanned|last scanned|scan',
    {
      kind: 'verb',
      time: { scopes: 'scanned' },
      readings: [{ field: 'coverage', any: ['never'], not: true }],
    },
  ],
];

const DIMENSIONS: readonly Entry[] = [
  ['domain|business domain', { kind: 'dimension', dimensions: ['domain'], names: 'domain' }],
  ['information type|type|document type', { kind: 'dimension', dimensions: ['type'], names: 'type' }],
  ['location', { kind: 'dimension', dimensions: ['scope'], names: 'scope' }],
  ['owner|domain owner', { kind: 'dimension', dimensions: ['owner'], names: 'person', role: 'owner' }],
  ['requester', { kind: 'dimension', dimensions: ['requester'], names: 'person', role: 'requester' }],
  ['format|file type|file format', { kind: 'dimension', dimensions: ['format'] }],
  [
    'status|state',
    {
      kind: 'dimension',
      dimensions: ['findingStatus', 'candidateStatus', 'actionStatus', 'coverage', 'contentState'],
    },
  ],
  ['content state|content status', { kind: 'dimension', dimensions: ['contentState'] }],
  [
    'kind|finding kind|kind of finding|action kind',
    { kind: 'dimension', dimensions: ['findingKind', 'actionKind'] },
  ],
  ['source family|family', { kind: 'dimension', dimensions: ['family'] }],
  ['provenance', { kind: 'dimension', dimensions: ['provenance'] }],
  ['band|confidence band', { kind: 'dimension', dimensions: ['band'] }],
  ['label state', { kind: 'dimension', dimensions: ['labelState'] }],
  ['month', { kind: 'dimension', dimensions: ['openedMonth', 'modifiedMonth'] }],
  ['coverage', { kind: 'dimension', dimensions: ['coverage'] }],
  ['label|sensitivity label', { kind: 'label', isVerb: false }],
  [
    'labelled|labeled|tagged|marked|labelled as|labeled as|tagged as|marked as',
    { kind: 'label', isVerb: true },
  ],
  ['risk|risk severity|risk level', { kind: 'level', field: 'risk' }],
  ['severity', { kind: 'level', field: 'severity' }],
];

const OTHERS: readonly Entry[] = [
  [FILLERS.replace(/\s*\n\s*/g, ''), { kind: 'filler' }],
  ['and|,|as well as|plus', { kind: 'join', or: false }],
  ['but', { kind: 'join', or: false, but: true }],
  ['or', { kind: 'join', or: true }],
  [
    'not|no|without|outside|outside of|never|lack|lacking|missing|neither|nor|non|and not|but not|not in|are not in|yet to|yet to be|still to|still to be|remain to be|!=',
    { kind: 'not' },
  ],
  [
    'except|except for|excluding|other than|apart from|besides|exclude|with the exception of',
    { kind: 'not', except: true },
  ],
  ['about|regarding|concerning', { kind: 'text', literal: false }],
  [
    'mentioning|mention|matching|word|phrase|term|keyword|text|contain word|containing word|with word',
    { kind: 'text', literal: true },
  ],
  ['named|called|titled|whose name contain|with name', { kind: 'text', literal: true, field: 'name' }],
  ['folder|directory', { kind: 'text', literal: true, field: 'folder' }],
  ['only in|just in|only within|only inside|exclusively|all owner|every owner', { kind: 'unsaid' }],
  // What is to be, may be or once was is not what is.
  [
    'will|would|could|should|must|may|might|need|want|had|used to|used to be|ever|as of|assigned to me|of mine|what about|how about',
    { kind: 'unsaid' },
  ],
  ['contain|containing|hold|holding', { kind: 'contain', further: false }],
  ['include|including', { kind: 'contain', further: true }],
  ['access|accessible|reachable|reach|read|view|can open|visible|available', { kind: 'access' }],
];

export const LEXICON: readonly Entry[] = [
  ...OTHERS,
  ...NOUNS,
  ...VALUES,
  ...VERBS,
  ...DIMENSIONS,
  ...QUANTITIES,
  ...ASKS,
];
