import { defineDetector } from '../detector.ts';
import { aloneIn, entropy, isPlaceholder } from './secret-value.ts';

/** The public keys of the storage and Cosmos DB emulators. */
const EMULATOR = /^(?:Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1|C2y6yDjf5\/R\+ob0N8A7Cgv30VRDJIWEHLM)/;

const NOT_BASE64_BEFORE = '(?<![A-Za-z0-9+/])';
const NOT_BASE64_AFTER = '(?![A-Za-z0-9+/=])';

/**
 * Keys with a recognisable part: the fixed signature before the checksum of storage, Cosmos, Batch and API Management
 * keys, the `Q~` in a client secret, and the parameter of a shared access signature.
 */
export const azureCredential = defineDetector({
  id: 'azure_credential',
  version: 2,
  family: 'secret',
  title: 'Azure key, client secret or shared access signature',
  gate: {
    kind: 'literals',
    literals: ['+ASt', '+ABa', '+AMC', 'ACDb', 'APIM', 'AZDO', 'Q~', 'sig=', 'ccountKey=', 'AccessKey='],
    reach: 130,
  },
  patterns: [
    {
      regex: new RegExp(
        `${NOT_BASE64_BEFORE}[A-Za-z0-9+/]{76}(?:\\+(?:ASt|ABa|AMC)|ACDb|APIM)[A-Za-z0-9+/]{5}[AQgw]==${NOT_BASE64_AFTER}`,
        'g',
      ),
      context: 'optional',
    },
    { regex: /(?<![A-Za-z0-9])[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])/g, context: 'optional' },
    { regex: /(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~-])/g, context: 'optional' },
    { regex: /(?<=[?&;\s"']sig=)[A-Za-z0-9%+/_-]{40,100}={0,2}(?![A-Za-z0-9%+/_=-])/g, context: 'optional' },
    {
      regex:
        /(?<==)(?<=(?:AccountKey|SharedAccessKey|AccessKey)=)[A-Za-z0-9+/]{40,100}={0,2}(?![A-Za-z0-9+/=])/g,
      context: 'optional',
    },
  ],
  context: [],
  alone: aloneIn,
  judge: (match) => {
    if (isPlaceholder(match) || entropy(match) < 3.5) return 'no';
    return EMULATOR.test(match) ? 'sample' : 'shape';
  },
  confidence: { pattern: 0.95 },
  examples: {
    hits: [
      `${'q8Zr51mXk02LpVt7Yw9s'.repeat(4).slice(0, 76)}+ASt0a1b2Q==`,
      ['AbC', '8Q~', 'q8Zr51mXk02LpVt7Yw9sB3_daKw4tPzN'].join(''),
      'https://acct.blob.example/c?sv=2023-01-03&sig=q8Zr51mXk02LpVt7Yw9sB3q8Zr51mXk02LpVt7Yw9s%3D&se=2026',
      `Endpoint=sb://bus.example/;SharedAccessKey=${'q8Zr51mXk02LpVt7Yw9s'.repeat(2)}abc=`,
    ],
    misses: [
      'https://example.com/?sig=short',
      'AccountKey=<account-key>',
      `AccountKey=${'A'.repeat(86)}==`,
      'AbC8Q~tooShort',
      'the APIM gateway',
    ],
  },
});
