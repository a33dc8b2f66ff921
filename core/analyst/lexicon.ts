import { type Entry, type Fragment, TIME } from './fragment.ts';
import { type SimpleCondition, SimpleConditionSchema, type Subject } from './plan.ts';

/**
 * Every phrase that has a meaning, but names, times and numbers. A line is `tag meaning: phrases`. The tags are in
 * fragment.ts. A meaning is conditions (`format=pdf`, `!owned`), flags, and properties of a fragment (`role:owner`,
 * `time:findings.opened`). A choice in brackets is of each: `(pdf/csv) file`. The words of `-` have no meaning of their
 * own, and no other word of a question is passed over. `_` is never understood: what is to be, may be or once was, an
 * order, a question for yes or no.
 */
const TABLE = `
-: a|an|the|that|is|are|was|were|be|been|being|am|has been|have been|had been|do|does|did|there|can|show|show me
-: give me|tell me|list|find|get|give|display|return|fetch|search|look up|see|please|kindly|hello|hi|thanks
-: thank you|inside|where|any|some|also|still|currently|now|right now|here|already|our|ours|rank|they|so far|then
-: too|exist|stored|kept|located|lie|live|held|content of type|do we have|have we|we have|we own|could you|can you
-: will you|would you|could i|can i|could we|i want|we want|want to see|i need|we need|need to see|need to know
-: i want to see|i would like|we would like|would like|like to see|would like to see|i want to know|take|take up
-: use|used|occupy|to me|got|there is|there are|are there|is there|it
C requester=me owner=me: my|my own
5 owner=me: do i have|i have|i own
P ids:me: i|me
&: and|as well as|plus|and also|along with
,: ,
/: or
~: but
n: not|no|without|never|lack|lack of|lacking|missing|neither|nor|non|yet to|yet to be|still to|still to be
n: remain to be|!=|have no|has no|do not have|does not have
X: outside|outside of
2: both
x: except|except for|excluding|other than|apart from|besides|exclude|with the exception of
e: all|every|each of|all of
!: only|just|exclusively
3: people at|people from|person at|person from|user at|user from|somebody at|somebody from|anyone at
i: in|on|at|within|into|under|stored in|stored on|present in
i: belong to|belonging to
o: of
f: for
r: from
w: with|whose
w idle: has|have|having
t: to
a: as
u: about|regarding|concerning
k: contain|containing|hold|holding|include|including
m field:words: mentioning|mention|matching|word|phrase|term|keyword|text|contain word|containing word|with word
m field:name: named|called|titled|whose name contain|with name
m field:folder: folder|directory|in folder|in directory
c: access|accessible|reachable|reach|read|view|can open|visible|available|open to|accessible to|visible to
c: available to|can access|can read|can see
_: will|would|could|should|must|may|might|need|want|had|used to|used to be|ever|as of|assigned to me|for me|of mine
_: what about|how about|my task|my action|are all|is every|are no|are there no|is there no|do not we have
_: are not there|is not there|do we not have|been resolved all|resolve|acknowledge|create|modify|change|scan|fix
_: close|is anybody|is anyone|never shared|never labelled|never labeled
N: asset|file|document|doc|item|thing|everything|anything|data
N format=xlsx,xls,xlsb,ods: spreadsheet|xlsx|xls|excel|excel (file/document/doc/sheet)|workbook
N format=pdf: pdf|pdf (file/document/doc)
N format=docx,doc,wordxml: word file|word document|word doc|docx|word processing document
N format=pptx,ppt,odp: presentation|slide|slide deck|pptx|ppt|powerpoint|powerpoint (file/document/doc)
N format=eml,msg: e mail message|email message|mail message|eml|msg
N family=mail: email|e mail
N format=image: image|picture|photo|scan image
N format=zip: archive file|zip|zip file|zip archive
N format=table: table|database table|sql table|database view
N format=text: text file|plain text file|txt|txt file
N format=csv: csv|csv file
N copies: duplicate|duplicate file|duplicated file|duplicate document|duplicated document
F: finding|risk finding|issue|risk issue|problem|alert
F findingKind=label: label finding|labelling finding|labeling finding|label issue
F findingKind=location: location finding|location issue
F findingKind=no_owner: owner finding|ownership finding
K: candidate|review candidate|review|suggestion
K candidateStatus=pending idle: waiting for review|wait for review|awaiting review|waiting for our review|to review
K candidateStatus=pending idle: waiting for an answer
K candidateStatus=pending owner=me idle: waiting for my review
A: action|remediation action|remediation|request|remediation request
A actionKind=internal_task: task
A actionKind=sensitivity_label_set,sensitivity_label_remove: label change
Z names:scope dimensions:scope: scope|source|site|library|container
C labelState=unlabeled: unlabelled|unlabeled|untagged
C labelState=unknown: unknown label|label unknown|unknown label state
C sensitivity=public: public
C sensitivity=internal: internal
C sensitivity=confidential: confidential
C sensitivity=restricted: restricted
C sensitivity=confidential,restricted: sensitive
C candidateStatus=confirmed provenance=confirmed: confirmed|confirmed by owner|confirmed by an owner
C candidateStatus=confirmed provenance=confirmed: owner confirmed
C !provenance=confirmed: unconfirmed
C provenance=inferred: inferred|guessed|model assigned|assigned by the model|model inferred|inferred by the model
C provenance=inferred: the model assigned to
C candidateStatus=routed provenance=routed: routed|sent by colleague
C provenance=unclassified: unclassified|in no domain|without a domain
s severity=critical: critical
s severity=high: high|severe
s severity=medium: medium|moderate
s severity=low: low
C findingStatus=open,reopened candidateStatus=pending actionStatus=draft,blocked,awaiting_approval,approved,executing,drifted idle: open
C findingStatus=open,reopened: unacknowledged
C findingStatus=open,acknowledged,reopened: unresolved|outstanding
C findingStatus=reopened: reopened
C candidateStatus=pending actionStatus=awaiting_approval: pending|waiting|unanswered|undecided
C candidateStatus=deferred: deferred|put off|postponed
C candidateStatus=rejected actionStatus=rejected: rejected
C candidateStatus=withdrawn: withdrawn
C band=high: high confidence|high band
C actionStatus=draft: draft|drafted
C actionStatus=blocked: blocked
C actionStatus=awaiting_approval: awaiting approval|waiting for approval|wait for approval|to be approved
C actionStatus=awaiting_approval: need approval|need to be approved|still to be approved|yet to be approved
C actionStatus=awaiting_approval: pending approval|awaiting decision
C actionStatus=approved: approved
C actionStatus=executing: executing|running|in progress
C actionStatus=verified: verified|done|completed|succeeded
C actionStatus=failed contentState=failed: failed
C actionStatus=cancelled: cancelled|canceled
C actionStatus=drifted: drifted
C coverage=stale: stale|out of date|outdated|behind
C coverage=never: never scanned|never been scanned|unscanned
C findingKind=exposure: exposure|exposed access|oversharing
C findingKind=label: wrong label|weak label
C findingKind=location: wrong location|wrong place|misplaced
C findingKind=unmanaged_copy: unmanaged copy
C findingKind=stale_access: stale access
C !owned: unowned|ownerless|nobody own|no one own|orphaned|not owned by anyone|not owned by anybody|owned by no one
C !owned: owned by nobody
C contentState=unsupported,failed,inaccessible: unreadable|unreadable content|content unreadable|not readable
C contentState=unsupported,failed,inaccessible: could not be read|content could not be read|cannot be read
C contentState=unsupported,failed,inaccessible: content cannot be read|can not be read|content not available
C contentState=unsupported,failed,inaccessible: content unavailable|unavailable content
C contentState=unsupported: unsupported
C contentState=inaccessible: inaccessible
C contentState=partial: partly read|partially read|partial content
C contentState=not_fetched: not fetched|content not fetched
C contentState=available,partial: readable|content available
C exposure=anyone,external: shared externally|externally shared|external sharing|externally|external
C exposure=anyone,external: exposed externally|externally exposed|external access|shared with guest
C exposure=anyone,external: shared with external people
C exposure=anyone,external: (shared /)outside (/of /our /of our /my )(organization/organisation/company)
C exposure=anyone,external: shared with people outside (/of /our /of our /my )(organization/organisation/company)
C exposure=anyone,external people: people outside|person outside|external people|external user|guest|outsider
C exposure=anyone,external people: (people/user) outside (/of /our /of our /my )(organization/organisation/company)
C exposure=anyone: publicly shared|shared publicly|exposed to public|shared by anonymous link|shared by link
C exposure=anyone: anonymously shared
C exposure=anyone people: public link|anonymous link|anyone with link|anyone with public link|anyone|public access
C exposure=anyone people: anonymous
C exposure=organization,broad_group: organization wide|organisation wide|company wide|broadly shared|widely shared
C exposure=organization,broad_group people: (everyone/everybody) in (/our )(organization/organisation/company)
C exposure=organization,broad_group people: all employee|whole (organization/organisation/company)
C exposure=anyone,organization,broad_group people: everyone|everybody
C exposure=anyone,external,organization,broad_group: shared|overshared|exposed|over exposed|overexposed
C !exposure=anyone,external,organization,broad_group: unshared|shared with no one|shared with nobody
C !exposure=anyone,external,organization,broad_group: not shared with anyone|not shared with anybody
C !exposure=anyone,external,organization,broad_group: not exposed to anyone|not open to anyone
C family=chat: chat|chat message|team chat
C family=mail: mail|mailbox
C family=smb: file share|smb|smb share|network share
C family=m365: microsoft 365|m365|sharepoint
C family=sql: database|sql|sql database
C family=blob: blob storage|blob
C family=s3: s3|s3 bucket|s3 store
C family=drive: onedrive
C family=cloud_drive: google drive|gdrive|google workspace
C family=file_box: box|box com
C copies: copied
J findFamily=bank: bank account number|bank account|bank detail|bank data
J findFamily=payment: payment card|payment card number|card number|card data
J findFamily=health: medical information|medical data|health information|health data
J findFamily=contact: contact data|contact detail|contact information
J findFamily=secret: password|secret|credential
J findFamily=compensation: salary data|salary information|salary
J findFamily=birth_date: birth date|date of birth
J findFamily=tax_id: tax number|tax id|tax identification number
J findFamily=national_id,tax_id,health,contact,person,birth_date,compensation: personal data|personal information
J findFamily=national_id,tax_id,health,contact,person,birth_date,compensation: personally identifiable information
J findFamily=national_id,tax_id,health,contact,person,birth_date,compensation: pii
V time:assets.modified: modified|changed|edited|updated|touched|last modified|last changed|last edited|last updated
V time:assets.modified: last touched
V time:assets.created,findings.opened,candidates.asked,actions.requested: created|made
V time:assets.firstSeen,findings.opened,candidates.asked,actions.requested by:assets.changed,findings.opened,candidates.asked,actions.requested: new
V time:assets.firstSeen,findings.opened,candidates.asked,actions.requested by:assets.changed,findings.opened,candidates.asked,actions.requested: first seen
V time:assets.firstSeen,findings.opened,candidates.asked,actions.requested by:assets.changed,findings.opened,candidates.asked,actions.requested: discovered
V time:assets.firstSeen,findings.opened,candidates.asked,actions.requested by:assets.changed,findings.opened,candidates.asked,actions.requested: found
V time:assets.firstSeen,findings.opened,candidates.asked,actions.requested by:assets.changed,findings.opened,candidates.asked,actions.requested: appeared
V time:assets.firstSeen,findings.opened,candidates.asked,actions.requested by:assets.changed,findings.opened,candidates.asked,actions.requested: did you find
V time:assets.firstSeen,findings.opened,candidates.asked,actions.requested by:assets.changed,findings.opened,candidates.asked,actions.requested: did we find
V time:assets.firstSeen,findings.opened,candidates.asked,actions.requested by:assets.changed,findings.opened,candidates.asked,actions.requested: you find
V time:assets.firstSeen,findings.opened,candidates.asked,actions.requested by:assets.changed,findings.opened,candidates.asked,actions.requested: we find
V time:assets.firstSeen,findings.opened,candidates.asked,actions.requested by:assets.changed,findings.opened,candidates.asked,actions.requested: scan find
V time:assets.classified idle: classified|classified as|classified to
V time:findings.opened idle: opened|raised|reported
V findingStatus=resolved time:findings.resolved: resolved|fixed|closed
V time:candidates.asked idle: asked
V candidateStatus=confirmed,rejected,routed,deferred time:candidates.answered: answered|decided
V time:actions.requested role:requester idle: requested|submitted
V findingStatus=acknowledged time:findings.acknowledged role:acknowledgedBy: acknowledged
V role:owner: own
V owned role:owner: owned
V !coverage=never time:scopes.scanned: scanned|last scanned
d dimensions:domain names:domain: domain|business domain
d dimensions:type names:type: information type|type|document type|type of document|kind of document
d dimensions:scope names:scope: location
q dimensions:owner names:person role:owner: owner|domain owner
d exposure=external dimensions:granteeDomain: external domain|outside domain|external organization|external company
d exposure=external dimensions:granteeDomain: domain outside of ours
d dimensions:requester names:person role:requester: requester
d dimensions:format: format|file type|file format
d dimensions:findingStatus,candidateStatus,actionStatus,coverage,contentState: status|state
d dimensions:contentState: content state|content status
d dimensions:findingKind,actionKind: kind|finding kind|kind of finding|action kind
d dimensions:family: source family|family
d dimensions:provenance: provenance
d dimensions:band: band|confidence band
d dimensions:labelState: label state
d dimensions:openedMonth,modifiedMonth: month
d dimensions:coverage: coverage
l dimensions:label names:label: label|sensitivity label
G: labelled|labeled|tagged|marked|labelled as|labeled as|tagged as|marked as
v dimensions:risk,severity: risk|risk severity|risk level
v dimensions:severity,risk: severity
M comparison:more compared: more than
M comparison:more: over|above|greater than|exceeding|exceed|higher than|>
M comparison:more measured:size: larger than|bigger than|heavier than
M comparison:less compared: less than|fewer than
M comparison:less: under|below|lower than|<
M comparison:less measured:size: smaller than
M comparison:least: at least|no less than|not less than|no fewer than|minimum of|>=
M comparison:most: at most|no more than|not more than|up to|maximum of|<=
M comparison:exactly: exactly|equal to|=
M comparison:between: between
Y comparison:least: or more|or higher|or worse|or above|and above|and higher|and worse|or greater|upward|+
Y comparison:most: or less|or fewer|or lower|or below|and below
y measured:size by:assets.size: size|space|storage
y measured:copies by:assets.copies: copy|identical copy|byte identical copy|duplicate copy
y measured:confidence by:candidates.confidence: confidence|score
U factor:1: byte|b
U factor:1000: kb|kilobyte|kib
U factor:1000000: mb|megabyte|mib
U factor:1000000000: gb|gigabyte|gib
U factor:1000000000000: tb|terabyte|tib
%: %|percent
H dimensions:grantee: (who/which people/which user/which person/what people/people who/everyone who) (can access/can read/can open/can see/can view/have access to/has access to)
H exposure=external dimensions:grantee: (which/what) (external user/external people/guest/outsider/people outside of company) (can access/can read/can open/can see/can view/have access to/has access to)
H exposure=external dimensions:grantee: (external user/external people/guest/outsider/people outside of company) (who/that) (can access/can read/can open/can see/can view/have access to/has access to)
Q show:share: percentage of|share of|proportion of|fraction of|percent of|% of|what percentage of|what share of
Q show:share: what proportion of|what fraction of
E show:share direction:descending: (highest/largest/greatest) (share/percentage/proportion) of
E show:share direction:ascending: (lowest/smallest) (share/percentage/proportion) of
b: by|down by|through|via
g: per|grouped by|group by|for each|in each|of each|broken down by|split by|for every|in every|each
z: sorted by|ordered by|sort by|order by|ranked by|rank by
y by:assets.name,scopes.name direction:ascending: name
y by:TIME: date|time
Q show:count: how many|number of|count|count of|total number of|amount of|break|breakdown of|break down|quantity of
Q show:size: total size|total size of|size of|how much space|how much storage|how much data|sum of size
Q show:size: combined size|overall size|how big are|how large are
Q show:count compared: how many more|how many fewer|how many less
0: than|compared with|compared to|versus
@: by number of|by count of|by the number of
O by:TIME direction:descending: newest
O by:TIME direction:descending: latest
O by:TIME direction:descending: most recent
O by:TIME direction:descending: most recently modified
O by:TIME direction:descending: most recently changed
O by:TIME direction:descending: most recently updated
O by:TIME direction:descending: most recently opened
O by:TIME direction:descending: recent
O by:TIME direction:descending: recently modified
O by:TIME direction:descending: recently changed
O by:TIME direction:descending: newest first
O by:TIME direction:ascending: oldest
O by:TIME direction:ascending: oldest first
O by:TIME direction:ascending: least recently modified
O by:assets.size,scopes.assetCount direction:descending: largest|biggest|largest first|biggest first
O by:assets.size,scopes.assetCount direction:ascending: smallest|smallest first
O by:assets.risk,findings.severity direction:descending: riskiest|most risky|most at risk|highest risk|most severe
O by:assets.risk,findings.severity direction:descending: worst
O by:assets.copies direction:descending: most copied|most duplicated
O by:candidates.confidence direction:descending: most confident|most certain|surest
O by:candidates.confidence direction:ascending: least confident|least certain|most uncertain
O by:candidates.value direction:descending: most valuable
O by:assets.name,scopes.name direction:ascending: alphabetically|alphabetical order|in alphabetical order
E direction:descending: most|highest number of|largest number of
E direction:ascending: fewest|least|smallest number of|lowest number of
< direction:ascending: ascending
< direction:descending: descending
p: top|first
h: which|what|in which|in what|on which|of which
`;

const SUBJECTS: Readonly<Record<string, Subject>> = {
  N: 'assets',
  F: 'findings',
  K: 'candidates',
  A: 'actions',
  Z: 'scopes',
};
const LISTS = ['dimensions', 'ids'];
const RECORDS = ['time', 'by'];

export const LEXICON: readonly Entry[] = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [, tag = '', meaning = '', phrases = ''] = /^(\S)(?: (.*?))?: (.*)$/.exec(line) ?? [];
    return [phrases.split('|').flatMap(expanded), tag === '-' ? '' : tag, fragmentOf(tag, meaning)];
  });

function fragmentOf(tag: string, meaning: string): Fragment {
  const readings: SimpleCondition[] = [];
  const fragment: Record<string, unknown> = {};
  for (const word of meaning.split(' ').filter((each) => each !== '')) {
    const [, not, field, values] = /^(!?)(\w+)(?:=(.+))?$/.exec(word) ?? [];
    const [key = '', value = ''] = word.split(':');
    if (RECORDS.includes(key))
      fragment[key] =
        value === 'TIME' ? TIME : Object.fromEntries(value.split(',').map((each) => each.split('.')));
    else if (LISTS.includes(key)) fragment[key] = value.split(',');
    else if (value !== '') fragment[key] = key === 'factor' ? Number(value) : value;
    else if (['idle', 'people', 'compared'].includes(word)) fragment[word] = true;
    else
      readings.push(
        SimpleConditionSchema.parse({
          field,
          ...(values !== undefined && { any: values.split(',') }),
          ...(field === 'copies' && { min: 1 }),
          ...(not && { not: true }),
        }),
      );
  }
  const subject = SUBJECTS[tag];
  return {
    ...(fragment as Fragment),
    ...(subject && { subject }),
    ...((readings.length > 0 || subject !== undefined) && { readings }),
  };
}

/** A phrase with each of its choices. */
function expanded(phrase: string): string[] {
  const [, before = '', choices, after = ''] = /^([^(]*)\(([^)]*)\)(.*)$/.exec(phrase) ?? [];
  return choices === undefined
    ? [phrase]
    : choices.split('/').flatMap((each) => expanded(`${before}${each}${after}`));
}
