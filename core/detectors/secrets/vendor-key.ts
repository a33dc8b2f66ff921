import type { Pattern, Verdict } from '../detector.ts';
import { looksRandom } from './secret-value.ts';

const LOWER = '[a-z0-9]';
const HEX = '[a-f0-9]';
const SIGNS = '[a-z0-9=_-]';

/** Keys without a prefix: the form that their issuers document, and the names of the issuers. */
const FORMS: readonly (readonly [form: string, issuers: string])[] = [
  [`${HEX}{32}`, 'adobe facebook finicity linear mailchimp rollbar'],
  [`${HEX}{40}`, 'meraki sendbird sourcegraph segment'],
  [`${HEX}{64}`, 'discord sentry'],
  [`${HEX}{37}`, 'cloudflare'],
  [`${HEX}{32}-${HEX}{8}-${HEX}{8}`, 'mailgun'],
  [`${LOWER}{15}`, 'dropbox'],
  [`${LOWER}{16}`, 'linkedin confluent'],
  [`${LOWER}{17}`, 'airtable'],
  [`${LOWER}{20}`, 'atlassian finicity finnhub looker jira confluence'],
  [`${LOWER}{22}`, 'travis'],
  [`${LOWER}{24}`, 'etsy looker plaid'],
  [`${LOWER}{25}`, 'messagebird twitter'],
  [`${LOWER}{26}`, 'mattermost'],
  [`${LOWER}{30}`, 'alibaba aliyun plaid twitch'],
  [`${LOWER}{32}`, 'algolia asana bitbucket bittrex codecov drone flickr privateai trello pagerduty'],
  [`${LOWER}{40}`, 'cloudflare cohere datadog zendesk'],
  [`${LOWER}{45}|${LOWER}{50}`, 'twitter'],
  [`${LOWER}{64}`, 'confluent freshbooks jfrog artifactory sumologic sumo'],
  [`${LOWER}{73}`, 'jfrog artifactory'],
  [`${SIGNS}{32}`, 'adafruit discord fastly nytimes'],
  [`${SIGNS}{40}`, 'cloudflare gitter launchdarkly'],
  [`${SIGNS}{40,46}`, 'netlify'],
  [`${SIGNS}{43}`, 'contentful'],
  [`${SIGNS}{50}`, 'rapidapi'],
  [`${SIGNS}{60}`, 'intercom'],
  [`${SIGNS}{64}`, 'bitbucket coinbase'],
  ['00[a-z0-9=_-]{40}', 'okta'],
  ['b_[a-z0-9=_-]{44}', 'beamer'],
  ['[0-9]{15,25}-[a-z0-9]{20,40}', 'twitter'],
  ['[0-9]{15,16}[|%][a-z0-9_-]{27,40}', 'facebook'],
];

/** What is between the name of an issuer and its key, such as `_api_token = "`, ` key: ` or `-access", "`. */
const BETWEEN = `(?:[_. -]?(?:api|app|access|auth|account|client|consumer|id|key|token|secret|pat)){0,4}["'\`]?\\]?[ \\t]{0,3}(?:=>|:{0,3}=|\\?=|:|,|>)[ \\t]{0,3}["'\`]?`;
const REACH = 140;

const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** The form says that it is a key, and a value of words is none. */
const judge = (match: string): Verdict => (looksRandom(match) ? 'shape' : 'no');

/** The keys of `FORMS` beside the name of their issuer. */
export const VENDOR_KEYS: readonly Pattern[] = FORMS.map(([form, issuers]) => ({
  regex: new RegExp(
    `(?<=[\\s=:>,"'\`])(?<=(?:${issuers.replaceAll(' ', '|')})${BETWEEN})(?:${form})(?![A-Za-z0-9_=/+.-])`,
    'gi',
  ),
  context: 'optional' as const,
  judge,
  gate: {
    kind: 'literals' as const,
    literals: issuers.split(' ').flatMap((each) => [each, capitalised(each), each.toUpperCase()]),
    reach: REACH,
  },
}));
