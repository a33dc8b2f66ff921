import '../../core/commands/refuse-old-node.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { loadConfig } from '../../core/config/config.ts';
import { FEATURES } from '../../core/licensing/terms.ts';
import { startActivationService } from './activation-service.ts';
import { openCodes } from './codes.ts';
import { type Offer, OfferSchema, termsOf } from './offer.ts';
import { newKeyPair, type Signer, signEntitlement, signerOfPem, signerOfSecret } from './signer.ts';

const USAGE = `npm run vendor -- key --out FILE --passphrase-file FILE
npm run vendor -- issue --tenant TENANT [terms] [--challenge TEXT] [signer]
npm run vendor -- code --tenant TENANT [terms] --data FOLDER
npm run vendor -- serve --data FOLDER [--port NUMBER] [signer]

  key    makes an Ed25519 key pair: writes the private key, encrypted, to a new file, and prints the line for
         core/licensing/vendor-keys.ts
  issue  prints a signed entitlement
  code   prints a one-time code for the activation service
  serve  runs the activation service on loopback, for development and tests

Terms:   --days 365 --grace-days 14 --edition standard --no-scanning --telemetry --max-users N --max-assets N --max-scopes N
Signer:  --key FILE --passphrase-file FILE, the private key of a pair.
         Without --key, in development, the shared secret that SVC_LICENSE_SECRET_REF refers to.

It calls nothing. Ends with 0 if it worked, 1 if it failed, 2 if it was called wrongly.`;

/** A way to call the command that there is none of. */
class UsageError extends Error {}

type Options = ReturnType<typeof readOptions>['values'];

function readOptions() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        help: { type: 'boolean', default: false },
        out: { type: 'string' },
        key: { type: 'string' },
        'passphrase-file': { type: 'string' },
        tenant: { type: 'string' },
        days: { type: 'string', default: '365' },
        'grace-days': { type: 'string', default: '14' },
        edition: { type: 'string', default: 'standard' },
        'no-scanning': { type: 'boolean', default: false },
        telemetry: { type: 'boolean', default: false },
        'max-users': { type: 'string' },
        'max-assets': { type: 'string' },
        'max-scopes': { type: 'string' },
        challenge: { type: 'string' },
        data: { type: 'string' },
        port: { type: 'string', default: '0' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : '');
  }
}

const needed = (value: string | undefined, option: string): string => {
  if (value === undefined) throw new UsageError(`--${option} is missing.`);
  return value;
};
const wholeOrNull = (value: string | undefined) => (value === undefined ? null : Number(value));

function offerOf(options: Options): Offer {
  const read = OfferSchema.safeParse({
    tenantId: needed(options.tenant, 'tenant'),
    edition: options.edition,
    days: Number(options.days),
    graceDays: Number(options['grace-days']),
    features: options['no-scanning'] ? [] : [...FEATURES],
    maxBillableUsers: wholeOrNull(options['max-users']),
    maxAssets: wholeOrNull(options['max-assets']),
    maxScopes: wholeOrNull(options['max-scopes']),
    telemetry: options.telemetry,
  });
  if (read.success) return read.data;
  throw new UsageError(`The terms are not valid:\n${z.prettifyError(read.error)}`);
}

const passphraseOf = (options: Options): string => {
  const passphrase = readFileSync(needed(options['passphrase-file'], 'passphrase-file'), 'utf8').trim();
  if (passphrase.length < 12) throw new UsageError('The passphrase must have at least 12 characters.');
  return passphrase;
};

function signerOf(options: Options): Signer {
  if (options.key !== undefined) return signerOfPem(readFileSync(options.key, 'utf8'), passphraseOf(options));
  // Nothing is asked of a database here.
  const config = loadConfig({ SVC_DATABASE_URL: 'postgres://none', ...process.env });
  const secret = config.secret('SVC_LICENSE_SECRET_REF');
  if (secret === null) throw new UsageError('Name a key, or set SVC_LICENSE_SECRET_REF in development.');
  return signerOfSecret(secret);
}

const ACTS: Readonly<Record<string, (options: Options) => Promise<void>>> = {
  key: async (options) => {
    const { pem, shipped } = newKeyPair(passphraseOf(options));
    // A key that is there already is not overwritten.
    writeFileSync(needed(options.out, 'out'), pem, { flag: 'wx', mode: 0o600 });
    console.log(`{ kid: '${shipped.kid}', x: '${shipped.x}' },`);
  },
  issue: async (options) => {
    const terms = termsOf(offerOf(options), Date.now(), options.challenge ?? null);
    console.log(await signEntitlement(terms, signerOf(options)));
  },
  code: async (options) => {
    const codes = await openCodes(needed(options.data, 'data'));
    console.log(await codes.add(offerOf(options)));
  },
  serve: async (options) => {
    const port = Number(options.port);
    if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new UsageError('--port is not a port.');
    const signer = signerOf(options);
    const codes = await openCodes(needed(options.data, 'data'));
    const { url } = await startActivationService({ signer, codes, clock: Date.now, port });
    console.log(`ready ${url}`);
  },
};

async function main(): Promise<void> {
  const { positionals, values } = readOptions();
  if (values.help) return console.log(USAGE);
  const [act = ''] = positionals;
  const run = Object.hasOwn(ACTS, act) ? ACTS[act] : undefined;
  if (run === undefined || positionals.length > 1) throw new UsageError('Name what to do.');
  await run(values);
}

await main().catch((error: unknown) => {
  const isUsage = error instanceof UsageError;
  console.error(
    isUsage ? `${error.message}\n\n${USAGE}` : String(error instanceof Error ? error.message : error),
  );
  process.exitCode = isUsage ? 2 : 1;
});
