import type { Entry, Fragment } from './fragment.ts';
import { ASKS, QUANTITIES } from './lexicon-of-questions.ts';
import { CONDITIONS, is, MINE, NOUNS } from './lexicon-of-things.ts';
import { type Dimension, ME } from './plan.ts';

/** Words without a meaning of their own. No other word of a question is passed over. */
const FUNCTION_WORDS = `a|an|the|that|is|are|was|were|be|been|being|am|has been|have been|had been|do|does|did|there|can|
  show|show me|give me|tell me|list|find|get|give|display|return|fetch|search|look up|see|
  please|kindly|hello|hi|thanks|thank you|inside|where|any|some|also|still|currently|now|right now|here|already|
  our|ours|rank|they|so far|then|too|exist|stored|kept|located|lie|live|held|
  content of type|do we have|have we|we have|we own|could you|can you|will you|would you|could i|can i|could we|i want|we want|
  want to see|i need|we need|need to see|need to know|i want to see|i would like|we would like|would like|like to see|would like to see|i want to know|
  take|take up|use|used|occupy|to me|got|there is|there are|are there|is there|it`;

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
    'modified|changed|edited|updated|touched|last modified|last changed|last edited|last updated|last touched',
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
  [
    'external domain|outside domain|external organization|external company|domain outside of ours',
    'd',
    { ...dimension('granteeDomain'), ...is({ field: 'exposure', any: ['external'] }) },
  ],
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

const OTHERS: readonly Entry[] = [
  [FUNCTION_WORDS, ''],
  ['my|my own', 'C', is({ field: 'requester', any: [ME] }, MINE)],
  ['do i have|i have|i own', '5', is(MINE)],
  ['i|me', 'P', { ids: [ME] }],
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
  ['people at|people from|person at|person from|user at|user from|somebody at|somebody from|anyone at', '3'],
  ['in|on|at|within|into|under|stored in|stored on|present in', 'i'],
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
    `will|would|could|should|must|may|might|need|want|had|used to|used to be|ever|as of|assigned to me|for me|of mine|what about|how about|
     my task|my action|are all|is every|are no|are there no|is there no|do not we have|are not there|is not there|do we not have|
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
