import type { DetectorFamily } from '../detectors/detector.ts';
import type { Entry, Fragment } from './fragment.ts';
import { ME, type SimpleCondition, type Subject } from './plan.ts';

export const is = (...readings: SimpleCondition[]): Fragment => ({ readings });
const noun = (subject: Subject, ...readings: SimpleCondition[]): Fragment => ({ subject, readings });
const assets = (field: 'format', ...any: string[]): Fragment => noun('assets', { field, any });
export const MINE: SimpleCondition = { field: 'owner', any: [ME] };
const UNOWNED: SimpleCondition = { field: 'owned', not: true };
const SHARED: SimpleCondition = {
  field: 'exposure',
  any: ['anyone', 'external', 'organization', 'broad_group'],
};
const OUTSIDE: Fragment = { ...is({ field: 'exposure', any: ['anyone', 'external'] }), people: true };
const status = (...any: Extract<SimpleCondition, { field: 'actionStatus' }>['any']) =>
  ({ field: 'actionStatus', any }) satisfies SimpleCondition;
const files = (kind: string) => `${kind} file|${kind} document|${kind} doc|${kind}`;

export const NOUNS: readonly Entry[] = [
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
    'waiting for review|wait for review|awaiting review|waiting for our review|to review|waiting for an answer',
    'K',
    { ...noun('candidates', { field: 'candidateStatus', any: ['pending'] }), idle: true },
  ],
  [
    'waiting for my review',
    'K',
    { ...noun('candidates', { field: 'candidateStatus', any: ['pending'] }, MINE), idle: true },
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

export const CONDITIONS: readonly Entry[] = [
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
     people outside|person outside|shared with people outside|external people|external user|external access|guest|outsider|shared with guest|shared with external people|
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
  ['onedrive', 'C', is({ field: 'family', any: ['drive'] })],
  ['google drive|gdrive|google workspace', 'C', is({ field: 'family', any: ['cloud_drive'] })],
  ['box|box com', 'C', is({ field: 'family', any: ['file_box'] })],
  ['copied', 'C', is({ field: 'copies', min: 1 })],
  ...FIND_WORDS.map(([words, ...any]): Entry => [words, 'J', is({ field: 'findFamily', any })]),
];
