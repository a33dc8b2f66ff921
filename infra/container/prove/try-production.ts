import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, withSession } from '../../local/api-client.ts';
import { startIdentityProvider } from '../../local/identity-provider.ts';
import { signInAtProvider } from '../../local/sign-in-at-provider.ts';
import type { BuiltImage, Work } from './buildah.ts';
import { measured, proved } from './claims.ts';
import { proveConfinement, proveEnd } from './container-claims.ts';
import { asForeigner, prepareProduction } from './production-files.ts';
import { composeProject, type RunningProject } from './project.ts';
import { proveHandover, proveScan, proveSharedWork } from './scan-claims.ts';

const SERVICE_URL = 'http://127.0.0.1:7071';
const FOREIGN_USER = '23456';
const PROVIDER_PORT = 9400;
const CLIENT = { clientId: 'governance', clientSecret: randomBytes(24).toString('base64url') };
const ADMINISTRATOR = { subject: 'ada', displayName: 'Ada Bauer', email: 'ada@example.com' };

const READY_WITHIN_SECONDS = 5;
const READY_AT_ALL_MS = 120_000;
const POLL_MS = 50;

/** As docs/deployment.md says for production, with an OpenID provider on the network of the containers. */
export async function tryProduction(work: Work, images: ReadonlyMap<string, BuiltImage>): Promise<void> {
  console.log(`\nIn production mode, with the foreign user ${FOREIGN_USER}:`);
  const redirectUri = `${SERVICE_URL}/api/auth/idp/callback`;
  const { issuer, close } = await startIdentityProvider({
    port: PROVIDER_PORT,
    accounts: () => [ADMINISTRATOR],
    clients: [{ ...CLIENT, redirectUris: [redirectUri] }],
  });
  const project = asForeigner(
    await prepareProduction(work, { ...CLIENT, issuer, redirectUri }),
    FOREIGN_USER,
  );
  const running = await composeProject(work, project, images);
  await proved('up --wait', running.up, () => 'every service is healthy or has ended with 0');
  const person = await proveSignIn(running);
  await proveScan(person, 'office');
  await proveSharedWork(person, ['host', 'worker-1', 'worker-2']);
  await proveConfinement(running);
  await proveHandover(running, project, { person, share: 'archive' });
  await proveStart(running);
  await proveEnd(running);
  await close();
}

/** A command makes the tenant and prints a code; the person who signs in with it is the administrator. */
async function proveSignIn(running: RunningProject): Promise<ApiClient> {
  const printed = await proved(
    'run --rm migrate tenant init',
    () => running.run('migrate', ['tenant', 'init', 'acme', '--name', 'Acme Ltd']),
    () => 'the tenant and a setup code',
  );
  const link = /Open (\S+) and sign in/.exec(printed)?.[1] ?? '';
  return proved('sign-in by authorization code and PKCE', async () => {
    const { status, body, cookies } = await signInAtProvider(link, ADMINISTRATOR.subject);
    if (status !== 302) throw new Error(`answered with ${status}: ${body}`);
    const session = cookies.get(new URL(SERVICE_URL).host)?.get('svc_session');
    return withSession(SERVICE_URL, `svc_session=${session}`);
  });
}

/**
 * The host alone, so that nothing but its own start takes time; the database is migrated. What others do on this machine
 * is no matter of the start: the time that it waited for a processor is reported, and does not count.
 */
async function proveStart(running: RunningProject): Promise<void> {
  await running.containers('host')[0]?.stop(30_000);
  const up = running.up();
  const readyAt = await readiness();
  const [host] = running.containers('host');
  if (host === undefined) throw new Error('The host does not run.');
  const waited = await host.secondsWithoutProcessor();
  const seconds = (readyAt - host.startedAt) / 1_000;
  measured('from start to ready, with a free processor', seconds - waited, {
    ...{ limit: READY_WITHIN_SECONDS, unit: 's' },
    beside: ` (${seconds.toFixed(1)} s, of which it waited ${waited.toFixed(1)} s for a processor)`,
  });
  await up;
}

/** When the service answers that it is ready, on the clock of this process. */
async function readiness(): Promise<number> {
  for (const deadline = Date.now() + READY_AT_ALL_MS; Date.now() < deadline; ) {
    const answer = await fetch(`${SERVICE_URL}/api/ready`).catch(() => null);
    if (answer?.ok === true) return performance.now();
    await sleep(POLL_MS);
  }
  throw new Error('the service does not get ready');
}
