import { defineDetector, type Verdict } from '../detector.ts';
import { entropy, isPlaceholder, looksRandom } from './secret-value.ts';
import { VENDOR_KEYS } from './vendor-key.ts';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/**
 * Key formats of issuers that use a prefix, which is enough to identify the key: the prefixes, and the pattern of the
 * rest.
 */
const ISSUED_KEYS: readonly (readonly [prefixes: string, rest: string])[] = [
  // Amazon, Alibaba, Google, DigitalOcean, Heroku
  ['AKIA ASIA ABIA ACCA', '[A-Z2-7]{16}'],
  ['A3T', '[A-Z0-9]{17}'],
  ['amzn.mws.', UUID],
  ['ABSK', '[A-Za-z0-9+/]{109,269}={0,2}'],
  ['bedrock-api-key-', 'YmVkcm9jay5hbWF6b25hd3MuY29t[A-Za-z0-9+/]{0,400}={0,2}'],
  ['LTAI', '[A-Za-z0-9]{16,24}'],
  ['AIza', '[A-Za-z0-9_-]{35}'],
  ['GOCSPX-', '[A-Za-z0-9_-]{28}'],
  ['ya29.', '[A-Za-z0-9_-]{30,250}'],
  ['doo_v1_ dop_v1_ dor_v1_', '[a-f0-9]{64}'],
  ['1//0', '[A-Za-z0-9_-]{40,120}'],
  ['HRKU-AA', '[A-Za-z0-9_-]{56,64}'],
  // GitHub, GitLab, Atlassian
  ['ghp_ gho_ ghu_ ghs_ ghr_', '[A-Za-z0-9]{36,250}'],
  ['github_pat_', '[A-Za-z0-9_]{60,90}'],
  ['GR1348941', '[A-Za-z0-9_-]{20}'],
  [
    'glpat- gldt- glrt- glptt- glcbt- glimt- glsoat- gloas- glft- glagent- glffct-',
    '[A-Za-z0-9_-]{20,300}(?:\\.[A-Za-z0-9_.-]{9,30})?',
  ],
  ['ATATT3 ATCTT3 ATBB', '[A-Za-z0-9_=-]{24,200}'],
  // Slack, Telegram, Twilio, SendGrid, Mailgun, Brevo
  // The numbers of the workspace and the app come first, in the tokens that rotate only their generation.
  ['xoxb- xoxp- xoxe-', '(?:\\d{8,14}-){1,3}(?=[A-Za-z0-9-]{0,63}[A-Za-z])[A-Za-z0-9-]{13,63}[A-Za-z0-9]'],
  ['xoxs- xoxo-', '(?:\\d{1,14}-){3}[a-fA-F0-9]{10,64}'],
  ['xoxe- xoxe.xoxp- xoxe.xoxb-', '\\d-[A-Za-z0-9]{140,180}'],
  ['xoxa- xoxr-', '[A-Za-z0-9-]{8,250}'],
  ['xapp-', '\\d-[A-Za-z0-9]{3,14}-\\d{6,40}-[A-Za-z0-9]{8,90}'],
  ['SK', '[a-fA-F0-9]{32}'],
  ['SG.', '[A-Za-z0-9=_.-]{66}'],
  ['mlsn.', '[a-f0-9]{64}'],
  ['re_', '[A-Za-z0-9]{8}_[A-Za-z0-9]{24}'],
  ['key-', '[a-f0-9]{32}'],
  ['xkeysib- xsmtpsib-', '[a-f0-9]{64}-[A-Za-z0-9]{16}'],
  ['pubkey-', '[a-f0-9]{32}'],
  // Stripe, Square, Shopify, Razorpay
  ['whsec_', '[A-Za-z0-9+/]{32,64}'],
  ['sq0atp- sq0csp- EAAA', '[A-Za-z0-9_-]{22,60}'],
  ['shpat_ shpca_ shppa_ shpss_', '[A-Fa-f0-9]{32}'],
  ['rzp_live_ rzp_test_', '[A-Za-z0-9]{14}'],
  ['shippo_live_ shippo_test_', '[a-fA-F0-9]{40}'],
  ['EZAK EZTK', '[A-Za-z0-9]{54}'],
  ['duffel_live_ duffel_test_', '[A-Za-z0-9_=-]{43}'],
  ['FLWSECK- FLWSECK_TEST- FLWPUBK_TEST-', '[a-hA-H0-9]{12}(?:[a-hA-H0-9]{20}-X)?'],
  ['access-sandbox- access-development- access-production-', UUID],
  ['EAAC EAAM', '[A-Za-z0-9]{100,300}'],
  // OpenAI, Anthropic, Hugging Face and others of their kind
  ['sk-ant-api03- sk-ant-admin01-', '[A-Za-z0-9_-]{93}AA'],
  ['sk-ant-oat01- sk-ant-sid01- sk-or-v1- sk-lf-', '[A-Za-z0-9_-]{32,250}'],
  ['sk-', '[A-Za-z0-9]{48}'],
  ['hf_ api_org_', '[A-Za-z]{34}'],
  ['gsk_ xai- pplx- r8_', '[A-Za-z0-9]{37,80}'],
  ['nvapi-', '[A-Za-z0-9_-]{64,70}'],
  ['lsv2_pt_ lsv2_sk_', '[a-f0-9]{32}_[a-f0-9]{10}'],
  // Package registries
  ['npm_', '[A-Za-z0-9]{36}'],
  ['pypi-', '[A-Za-z0-9_-]{50,1000}'],
  ['rubygems_', '[a-f0-9]{48}'],
  ['dckr_pat_ dckr_oat_', '[A-Za-z0-9_-]{27,32}'],
  ['AKCp', '[A-Za-z0-9]{69}'],
  ['cmVmd', '[A-Za-z0-9]{59}'],
  ['CLOJARS_', '[A-Za-z0-9]{60}'],
  ['oy2', '[a-z0-9]{43}'],
  // Databricks, HashiCorp, Grafana, New Relic, Sentry, Pulumi, PlanetScale, Supabase, Doppler, Dynatrace
  ['dapi', '[a-f0-9]{32}(?:-\\d)?'],
  ['hvs. hvb. hvr.', '[A-Za-z0-9_-]{24,300}'],
  ['eyJrIjoi', '[A-Za-z0-9]{70,400}={0,3}'],
  ['glsa_', '[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}'],
  ['glc_', '[A-Za-z0-9+/]{32,400}={0,3}'],
  ['NRAK- NRJS- NRAA- NRRA-', '[A-Za-z0-9]{19,42}'],
  ['NRII- NRIQ-', '[A-Za-z0-9_-]{32}'],
  ['sntrys_', 'eyJpYXQiO[A-Za-z0-9+/]{30,450}={0,2}_[A-Za-z0-9+/]{43}'],
  ['sntryu_', '[a-f0-9]{64}'],
  ['pul- sbp_', '[a-f0-9]{40}'],
  ['pscale_tkn_ pscale_pw_ pscale_oauth_', '[A-Za-z0-9_=.-]{32,64}'],
  ['dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', '[A-Za-z0-9._-]{40,80}'],
  ['dt0c01. dt0s01.', '[A-Za-z0-9]{24}\\.[A-Za-z0-9]{64}'],
  // Linear, Notion, Postman, Figma, Airtable, Contentful
  ['lin_api_', '[A-Za-z0-9]{40}'],
  ['ntn_ secret_', '[A-Za-z0-9]{43,50}'],
  ['PMAK-', '[a-f0-9]{24}-[a-f0-9]{34}'],
  ['figd_', '[A-Za-z0-9_-]{40,60}'],
  ['CFPAT-', '[A-Za-z0-9_-]{43}'],
  ['pat', '[A-Za-z0-9]{14}\\.[a-f0-9]{64}'],
  // HubSpot, Octopus Deploy, GitLab, Authress, Pinecone, Trello, PostHog, Neon, Xata, Riot Games, Adafruit, age, Yandex
  ['pat-na1- pat-eu1-', UUID],
  ['API-', '[A-Z0-9]{26}'],
  ['_gitlab_session=', '[a-z0-9]{32}'],
  [
    'sc_ ext_ scauth_ authress_',
    '[a-z0-9]{5,30}\\.[a-z0-9]{4,6}\\.acc[_-][a-z0-9-]{10,32}\\.[a-z0-9+/_=-]{30,120}',
  ],
  ['pcsk_', '[A-Za-z0-9_]{60,75}'],
  ['ATTA', '[a-f0-9]{76}'],
  ['phx_ phc_', '[A-Za-z0-9]{40,50}'],
  ['napi_', '[a-z0-9]{60,68}'],
  ['xau_', '[A-Za-z0-9]{30,60}'],
  ['RGAPI-', UUID],
  ['aio_', '[A-Za-z0-9]{28}'],
  ['AGE-SECRET-KEY-1', '[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}'],
  ['AQVN', '[A-Za-z0-9_-]{35,38}'],
  ['sl.', '[A-Za-z0-9_=-]{130,152}'],
  ['sb_secret_', '[A-Za-z0-9_-]{22}_[A-Za-z0-9_-]{8}'],
  // Fly.io, Netlify, Tailscale, Prefect, OpenShift, Buildkite, CircleCI, Cloudflare, Sonar, Sourcegraph, Harness
  ['fo1_', '[A-Za-z0-9_-]{43}'],
  ['fm1a_ fm1r_ fm2_', '[A-Za-z0-9+/]{100,400}={0,3}'],
  ['tskey-api- tskey-auth- tskey-client-', '[A-Za-z0-9]{8,24}-[A-Za-z0-9]{24,40}'],
  ['pnu_', '[A-Za-z0-9]{36}'],
  ['sha256~', '[A-Za-z0-9_-]{43}'],
  ['bkua_', '[a-z0-9]{40}'],
  ['CCIPAT_', '[A-Za-z0-9]{22}_[a-f0-9]{40}'],
  ['v1.0-', '[a-f0-9]{24}-[a-f0-9]{146}'],
  ['sgp_', '(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}'],
  ['pat. sat.', '[A-Za-z0-9_-]{22}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{20}'],
  // 1Password, Adobe, ClickHouse, Frame.io, Infracost, Intra 42, Mapbox, Readme, Scalingo, SettleMint, Typeform
  ['A3-', '[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}'],
  ['ops_eyJ', '[A-Za-z0-9+/]{250,1000}={0,3}'],
  ['p8e-', '[A-Za-z0-9]{32}'],
  ['4b1d', '[A-Za-z0-9]{38}'],
  ['fio-u-', '[A-Za-z0-9_=-]{64}'],
  ['s-s4t2ud- s-s4t2af-', '[a-f0-9]{64}'],
  ['pk. sk. tk.', '(?:eyJ[A-Za-z0-9]{50,90}|[A-Za-z0-9]{60})\\.[A-Za-z0-9_-]{22}'],
  ['rdme_', '[a-z0-9]{70}'],
  ['tk-us-', '[A-Za-z0-9_-]{48}'],
  ['sm_aat_ sm_pat_ sm_sat_', '[A-Za-z0-9]{16}'],
  ['tfp_', '[A-Za-z0-9_.=-]{59}'],
  // LaunchDarkly, Lob, GoCardless, Yandex, Twitter
  ['sdk-', UUID],
  ['live_ test_', '[a-f0-9]{35}'],
  ['live_pub_ test_pub_', '[a-f0-9]{31}'],
  ['t1.', '[A-Za-z0-9_-]{10,300}={0,2}\\.[A-Za-z0-9_-]{86}={0,2}'],
  ['YCA YCM YCN YCO YCP', '[A-Za-z0-9_-]{37}'],
  ['AAAAAAAAAAAAAAAAAAAAAA', '(?=[A-Za-z0-9]{0,99}%)[A-Za-z0-9%]{80,100}'],
  ['dnkey-', '[A-Za-z0-9_=-]{26}-[A-Za-z0-9_=-]{52}'],
  // Rootly, AppSync, SpectralOps, Bitbucket Data Center, Ramp, Robinhood, PubNub, Twist, Square
  ['rootly_', '[a-f0-9]{64}'],
  ['da2-', '[a-z0-9]{26}'],
  ['spu-', '[a-z0-9]{32}'],
  ['BBDC-', '[A-Za-z0-9+/@_-]{40,50}'],
  ['ramp_sec_', '[A-Za-z0-9]{48}'],
  ['rh-api- pub-c- sub-c-', UUID],
  ['oauth2:', '[a-f0-9]{40}'],
  ['sq0i', '[a-z]{2}-[A-Za-z0-9_-]{22,43}'],
  ['sq0c', '[a-z]{2}-[A-Za-z0-9_-]{40,50}'],
];

/** Those whose prefix names in a program have too: Stripe, OpenAI, Tavily, Jina, Apify, Netlify, Sonar, GoCardless. */
const RANDOM_KEYS: typeof ISSUED_KEYS = [
  ['sk_live_ rk_live_ sk_test_ rk_test_ sk_prod_ rk_prod_', '[A-Za-z0-9]{10,250}'],
  ['sk-proj- sk-svcacct- sk-admin-', '[A-Za-z0-9_-]{32,250}'],
  ['tvly- jina_ apify_api_', '[A-Za-z0-9_-]{32,64}'],
  ['nfp_', '[A-Za-z0-9_]{36}'],
  ['squ_ sqp_ sqa_', '[A-Za-z0-9_=-]{40}'],
  ['live_', '[A-Za-z0-9_=-]{40}'],
];

const NEAR_LAUNCHDARKLY = '(?<=(?:[Ll]aunch[_-]?[Dd]arkly|LAUNCH_?DARKLY)[^\\n]{0,40})';

/** Formats that are known by a part in their middle or at their end: New Relic, Azure's registry, Tableau, HashiCorp,
 * MaxMind, Telegram, Mailchimp, Dropbox. LaunchDarkly's are known beside its name only. */
const KNOWN_PARTS: readonly (readonly [part: string, pattern: string])[] = [
  ['FFFFNRAL', '(?:[a-f0-9]{32}|eu01xx[a-f0-9]{26})FFFFNRAL'],
  ['-NRMA', '(?:AA[a-f0-9]{40}|eu01xx[a-f0-9]{36})-NRMA'],
  ['+ACR', '[A-Za-z0-9+/]{42}\\+ACR[A-Za-z0-9]{6}'],
  ['==:', '[A-Za-z0-9+/]{22}==:[A-Za-z0-9]{32}'],
  ['.atlasv1.', '[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,70}'],
  ['_mmk', '[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk'],
  [':AA', '\\d{5,16}:AA[A-Za-z0-9_-]{33}'],
  ['-us', '[a-f0-9]{32}-us\\d{1,2}'],
  // Infracost's, and no picture of a site with the hash of its content.
  ['ico-', '(?<!\\.)ico-[A-Za-z0-9]{32}(?!\\.)'],
  ['AAAAAAAAAA', '[a-z0-9]{11}A{10}[a-z0-9_=-]{43}'],
  ['mob-', `${NEAR_LAUNCHDARKLY}mob-${UUID}`],
  ['api-', `${NEAR_LAUNCHDARKLY}api-${UUID}`],
];

const prefixesOf = (keys: typeof ISSUED_KEYS) => keys.flatMap(([prefixes]) => prefixes.split(' '));
const formsOf = (keys: typeof ISSUED_KEYS) =>
  keys.map(([prefixes, rest]) => `(?:${prefixes.replaceAll('.', '\\.').replaceAll(' ', '|')})${rest}`);
const patternOf = (forms: readonly string[]) =>
  new RegExp(`(?<![A-Za-z0-9_-])(?:${forms.join('|')})(?![A-Za-z0-9_-])`, 'g');

const PARTS = [...prefixesOf(ISSUED_KEYS), ...prefixesOf(RANDOM_KEYS), ...KNOWN_PARTS.map(([part]) => part)];
const alternatives = [...formsOf(ISSUED_KEYS), ...KNOWN_PARTS.map(([, pattern]) => pattern)];

/** A pattern of all of them would have too many paths. */
const IN_PATTERN = 20;
const parted = Array.from({ length: Math.ceil(alternatives.length / IN_PATTERN) }, (_, i) =>
  alternatives.slice(i * IN_PATTERN, (i + 1) * IN_PATTERN),
);

/** Those of Slack consist of numbers of the workspace for the most part, and numbers repeat their digits. */
const leastEntropy = (match: string): number => (match.startsWith('xox') ? 2.4 : 3.2);

const judge = (match: string): Verdict => {
  if (entropy(match) < leastEntropy(match)) return 'no';
  return /_test_/.test(match) || isPlaceholder(match.replace(/^secret_/, '')) ? 'sample' : 'shape';
};
const RANDOM_PREFIX = new RegExp(`^(?:${prefixesOf(RANDOM_KEYS).join('|')})`);

/** Joins the parts of an example, so that secret scanners do not report this file. */
const made = (...parts: string[]) => parts.join('');

export const issuedKey = defineDetector({
  id: 'api_key',
  version: 6,
  family: 'secret',
  title: 'API key of a known format',
  gate: { kind: 'literals', literals: PARTS, reach: 1_100 },
  patterns: [
    ...parted.map((each) => ({ regex: patternOf(each), context: 'optional' as const })),
    {
      regex: patternOf(formsOf(RANDOM_KEYS)),
      context: 'optional',
      judge: (match) => (looksRandom(match.replace(RANDOM_PREFIX, '')) ? judge(match) : 'no'),
    },
    ...VENDOR_KEYS,
  ],
  context: [],
  judge,
  confidence: { pattern: 0.95 },
  examples: {
    hits: [
      made('aws_access_key_id = AKIA', 'QYLPMN5HFIQR7XYA'),
      made('AKIA', 'IOSFODNN7EXAMPLE'),
      made('token ghp_', 'a1B2c3D4e5F6'.repeat(3)),
      made('GITLAB_TOKEN=glpat-', 'q8Zr51mXk02LpVt7Yw9s'),
      made('SG.', 'q8Zr51mXk02LpVt7Yw9sB3', '.', 'q8Zr51mXk02LpVt7Yw9sB3q8Zr51mXk02LpVt7Yw9sB'),
      made('sk-ant-', 'api03-', `${'q8Zr51mXk02LpVt7Yw9sB3'.repeat(5).slice(0, 93)}AA`),
      made('q8Zr51mXk02LpV', '.atlasv1.', 'q8Zr51mXk02LpVt7Yw9sB3'.repeat(3)),
      made('patq8Zr51mXk02LpV', '.', '0a1b2c3d4e5f60718293a4b5c6d7e8f9'.repeat(2)),
      made('API-', 'Q8ZR51MXK02LPVT7YW9SB3DAKW'),
      made('582013947:AA', 'Hq8Zr51mXk02LpVt7Yw9sB3daKw4tPzNe'),
      made('pat-na1-', '3f2a9c1e-', '7b4d-4e81-9a60-c5d2e8f10b37'),
      made('dapi', '0a1b2c3d4e5f60718293a4b5c6d7e8f9'),
      made('datadog = "', 'q8zr51mxk02lpvt7yw9s'.repeat(2), '"'),
      made('LaunchDarkly mobile key: mob-', '3f2a9c1e-', '7b4d-4e81-9a60-c5d2e8f10b37'),
      made('linear key: ', '9f86d081884c7d659a2f', 'eaa0c55ad015'),
      made('"SEGMENT_TOKEN", "', '9f86d081884c7d659a2f', 'eaa0c55ad015a3bf4f1b"'),
      made('sqp_', 'q8zr51mxk02lpvt7yw9s'.repeat(2)),
      made('9f86d081884c7d659a2f', 'eaa0c55ad015', 'FFFFNRAL'),
      made('rootly_', '0a1b2c3d4e5f60718293a4b5c6d7e8f9'.repeat(2)),
      made('sk_live_', 'q8Zr51mXk02LpVt7Yw9sB3da'),
      made('live_', '0a1b2c3d4e5f60718293a4b5c6d7e8f90a1'),
      made('xoxb-', '204817365921-q8Zr51mXk02LpVt7'),
      made('xoxp-', '511111111-31111111111-3111111111111-', 'e039d02840a0b9379c'),
      made('snyk_token: ', '3F2A9C1E-7B4D-', '4E81-9A60-C5D2E8F10B37'),
      made('asana_secret = "', '90252216', '18505697"'),
      made('BUNDLE_GEMS__CONTRIBSYS__COM=', '5fb18010:', 'abb2494f'),
      made('<MessageBirdToken>\n    ', '3f2a9c1e-7b4d-', '4e81-9a60-c5d2e8f10b37\n<'),
      made('SONAR_TOKEN=', '12345678ABCDEFH1234567890', 'ABCDEFH12345678'),
    ],
    misses: [
      'AKIA',
      made('xoxp-', '1234-1234-1234-', '4ddbc191d40ee098cbaae6f3523ada2d'),
      made('xoxp-', '572370529330-573807301142-572331691188-', '#'.repeat(20)),
      made('sntryu_', '0a1b2c3d4e5f60718293a4b5c6d7e8f9'.repeat(2), '0'),
      made('box.ico-', '7a388b69018576d24b59331fd60aab0c', '.png'),
      'discord_token = "1111111111111111"',
      'the asana task 9025221618505696',
      made('AKIA', 'A'.repeat(16)),
      made('XAKIA', 'QYLPMN5HFIQR7XYA'),
      made('AKIA', 'QYLPMN5HFIQR7XYAZZ'),
      'SGX.abc',
      'API-REFERENCE-MANUAL-AND-GUIDES',
      'pattern.0a1b2c3d4e5f60718293a4b5c6d7e8f9',
      'sk-learn-and-other-packages-of-that-name-which-are-long',
      made('datadog = "', 'q8zr51mxk02lpvt7yw9s'.repeat(2), 'x"'),
      'datadog = "a-name-of-some-service-in-our-region-11"',
      made('the datadog ', 'q8zr51mxk02lpvt7yw9s'.repeat(2)),
      made('ghp_', 'x'.repeat(36)),
      made('sk-ant-', 'api03-', 'q8Zr51mXk02LpVt7Yw9sB3q8Zr51mXk0'),
      'expat.0a1b2c3d4e5f60718293a4b5c6d7e8f9',
    ],
  },
});

/** Everyone who knows such an address can post to it. */
export const webhookAddress = defineDetector({
  id: 'webhook_address',
  version: 1,
  family: 'secret',
  title: 'Address of a webhook, which is its password',
  gate: {
    kind: 'literals',
    literals: ['hooks.slack', 'api/webhooks/', 'webhook.office', 'hooks.zapier', 'api.telegram.org/bot'],
    reach: 400,
  },
  patterns: [
    {
      regex:
        /(?<![A-Za-z0-9.-])(?:hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9+/]{30,120}|(?:ptb\.|canary\.)?discord(?:app)?\.com\/api\/webhooks\/\d{15,22}\/[A-Za-z0-9_-]{50,90}|[a-z0-9-]{1,60}\.webhook\.office\.com\/webhookb2\/[A-Za-z0-9@/-]{60,250}|hooks\.zapier\.com\/hooks\/catch\/[A-Za-z0-9/]{8,60}|api\.telegram\.org\/bot\d{6,12}:[A-Za-z0-9_-]{30,40})/g,
      context: 'optional',
    },
  ],
  context: [],
  judge: (match) => (isPlaceholder(match) || entropy(match) < 3.5 ? 'no' : 'shape'),
  confidence: { pattern: 0.95 },
  examples: {
    hits: [
      made('https://hooks.slack.com/', 'services/T03QK5ZB2/B07XW9M1LCV/', 'q8Zr51mXk02LpVt7Yw9sB3da'),
      made('https://hooks.zapier.com/', 'hooks/catch/4829173/b8x2kq7/'),
      made('https://api.telegram.org/', 'bot582013947:AAH', 'q8Zr51mXk02LpVt7Yw9sB3daKw4tPzNe', '/getMe'),
    ],
    misses: [
      'https://hooks.slack.com/services/',
      'https://discord.com/api/webhooks/{id}/{secret}',
      `https://hooks.slack.com/services/T00000000/B00000000/${'X'.repeat(24)}`,
    ],
  },
});
