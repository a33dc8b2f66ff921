import type { Pattern, Verdict } from '../detector.ts';
import { entropy, isSequence, looksRandom } from './secret-value.ts';

const LOWER = '[a-z0-9]';
const HEX = '[a-f0-9]';
const SIGNS = '[a-z0-9=_-]';

/** Keys without a prefix: their usual form, and the names of their issuers. */
const FORMS: readonly (readonly [form: string, issuers: string])[] = [
  [`${HEX}{32}`, 'adobe facebook finicity linear mailchimp rollbar'],
  [`${HEX}{40}`, 'meraki sendbird sourcegraph segment'],
  [`${HEX}{64}`, 'discord sentry'],
  [`${HEX}{37}`, 'cloudflare'],
  [`${HEX}{32}-${HEX}{8}-${HEX}{8}`, 'mailgun'],
  [`${HEX}{8}(?:-${HEX}{4}){3}-${HEX}{12}`, 'snyk MessageBird heroku hubspot'],
  ['[0-9]{16}', 'asana'],
  ['[0-9]{18}', 'discord'],
  [`${LOWER}{15}`, 'dropbox'],
  [`${LOWER}{16}`, 'LinkedIn confluent'],
  [`${LOWER}{17}`, 'airtable'],
  [`${LOWER}{20}`, 'atlassian finicity finnhub looker jira confluence'],
  [`${LOWER}{22}`, 'travis'],
  [`${LOWER}{24}`, 'etsy looker plaid'],
  [`${LOWER}{25}`, 'MessageBird twitter'],
  [`${LOWER}{26}`, 'mattermost'],
  [`${LOWER}{30}`, 'alibaba aliyun plaid twitch'],
  [`${LOWER}{32}`, 'algolia asana bitbucket bittrex codecov drone flickr privateai trello PagerDuty'],
  [`${LOWER}{40}`, 'cloudflare cohere datadog zendesk'],
  [`${LOWER}{45}|${LOWER}{50}`, 'twitter'],
  [`${LOWER}{64}`, 'confluent FreshBooks jfrog artifactory SumoLogic sumo'],
  [`${LOWER}{73}`, 'jfrog artifactory'],
  [`${SIGNS}{32}`, 'adafruit discord fastly nytimes'],
  [`${SIGNS}{40}`, 'cloudflare gitter LaunchDarkly sonar'],
  [`${SIGNS}{40,46}`, 'netlify'],
  [`${SIGNS}{43}`, 'contentful'],
  [`${SIGNS}{50}`, 'RapidAPI'],
  [`${SIGNS}{60}`, 'intercom'],
  [`${SIGNS}{64}`, 'bitbucket coinbase'],
  ['00[a-z0-9=_-]{40}', 'okta'],
  ['b_[a-z0-9=_-]{44}', 'beamer'],
  ['[0-9]{15,25}-[a-z0-9]{20,40}', 'twitter'],
  ['[0-9]{15,16}[|%][a-z0-9_-]{27,40}', 'facebook'],
];

const GAP = '[ \\t]{0,3}';
const PARTS = '(?:[_. -]?(?:api|app|access|auth|account|client|consumer|mobile|sdk)){0,3}';
/** A name that ends in a word for a key, and its value: `_api_token = "`, ` key: `, `_secret", "`. */
const KEYED = `(?:[_. -]?(?:key|token|secret|pat)){1,2}(?:["'\`]?\\]?${GAP}(?:string )?(?:=>|:{0,3}=|\\?=|\\.=|:|>(?:\\s{1,12}(?=\\S))?)${GAP}["'\`]?|["'\`], ?["'\`])`;
/** Without such a word, only a string that is assigned is a key. Hexadecimal digits alone are rather a checksum. */
const ASSIGNED = `["'\`]?\\]?${GAP}(?:=>|:{0,3}=|\\?=)${GAP}["'\`](?![a-f0-9-]{16,128}["'\`])`;
const REACH = 140;

/** As constants, members and types are named. `MessageBird` is written with and without its second capital. */
function spellings(issuer: string): string[] {
  const small = issuer.toLowerCase();
  const title = small.charAt(0).toUpperCase() + small.slice(1);
  return [...new Set([issuer, small, title, small.toUpperCase()])];
}

/** Digits alone are as many as an issuer gives, and no sequence or repetition. */
const isNumber = (match: string): boolean =>
  /^\d{16,32}$/.test(match) && entropy(match) >= 2.4 && !isSequence(match);

/** The form says that it is a key, and a value of words is none. A sequence in this form is one of documentation. */
function judge(match: string): Verdict {
  if (looksRandom(match) || isNumber(match)) return 'shape';
  return isSequence(match) && entropy(match) >= 2.8 ? 'sample' : 'no';
}

/** Those of Sidekiq, in the setting of a host, also behind further words. */
const BUNDLER_KEY: Pattern = {
  regex: /(?<=contribsys__com[^\n]{0,24})(?<![a-f0-9])[a-f0-9]{8}:[a-f0-9]{8}(?![a-f0-9])/gi,
  context: 'optional',
  judge: () => 'shape',
  gate: { kind: 'literals', literals: ['contribsys__com', 'CONTRIBSYS__COM'], reach: 60 },
};

/** The keys of `FORMS` beside the name of their issuer. */
const NAMED_KEYS = FORMS.map(([form, issuers]) => ({
  regex: new RegExp(
    `(?<=[\\s=:>"'\`])(?<=(?<![a-z0-9])(?:${issuers.replaceAll(' ', '|')})${PARTS}(?:${KEYED}|${ASSIGNED}))(?:${form})(?![A-Za-z0-9_=/+.-])`,
    'gi',
  ),
  context: 'optional' as const,
  judge,
  gate: {
    kind: 'literals' as const,
    literals: issuers.split(' ').flatMap(spellings),
    reach: REACH,
  },
}));

export const VENDOR_KEYS: readonly Pattern[] = [...NAMED_KEYS, BUNDLER_KEY];
