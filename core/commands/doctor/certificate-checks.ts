import { issuerOf } from '../../auth/identity-provider.ts';
import type { Config } from '../../config/config.ts';
import { type Check, counted, fail, type Outcome, pass, skipped, warn } from './check.ts';
import { type Server, serverOf, withoutBrackets } from './database-server.ts';
import { type PeerCertificate, peerCertificate } from './peer-certificate.ts';
import { reasonOf } from './reason.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const WARN_DAYS = 30;
const HTTPS_PORT = 443;

export const CERTIFICATE_CHECKS: readonly Check[] = [
  httpsCheck('public', 'SVC_IDP_REDIRECT_URI', ({ SVC_IDP_REDIRECT_URI }) => SVC_IDP_REDIRECT_URI),
  httpsCheck('webhook', 'SVC_WEBHOOK_PUBLIC_URL', ({ SVC_WEBHOOK_PUBLIC_URL }) => SVC_WEBHOOK_PUBLIC_URL),
  httpsCheck('identity-provider', 'SVC_IDP_ISSUER', (config) =>
    config.SVC_AUTH_MODE === 'dev' ? undefined : (issuerOf(config) ?? undefined),
  ),
  {
    id: 'certificates.database',
    proves: `The certificate of the database holds for ${WARN_DAYS} days or more.`,
    needs: ['database.reachable'],
    run: async ({ config }, signal) => {
      const server = serverOf(config.SVC_DATABASE_URL);
      if (server === null) return skipped('The database is reached by a socket of this machine.');
      const certificate = await peerCertificate(server, 'postgres', signal);
      if (certificate === null) return skipped('The database shows no certificate.');
      // Whether it is trusted depends on sslmode, and the connection has shown it.
      return judgeCertificate('of the database', { ...certificate, distrust: null }, Date.now());
    },
  },
];

/** @param setting that names the address */
function httpsCheck(name: string, setting: string, addressOf: (config: Config) => string | undefined): Check {
  return {
    id: `certificates.${name}`,
    proves: `The certificate at ${setting} is trusted, and holds for ${WARN_DAYS} days or more.`,
    needs: ['configuration.settings'],
    run: async ({ config }, signal) => {
      const address = addressOf(config);
      const server = address === undefined ? null : httpsServer(address);
      if (server === null) return skipped('There is no https address to look at.');
      try {
        const certificate = await peerCertificate(server, 'https', signal);
        if (certificate !== null) return judgeCertificate(`at ${setting}`, certificate, Date.now());
      } catch (error) {
        signal.throwIfAborted();
        return warn(
          `The server at ${setting} cannot be asked: ${reasonOf(error)}.`,
          'Run the doctor from a machine that may call this address.',
        );
      }
      return warn(`The server at ${setting} shows no certificate.`, 'Check the proxy that ends TLS.');
    },
  };
}

function httpsServer(address: string): Server | null {
  const { protocol, hostname, port } = new URL(address);
  if (protocol !== 'https:') return null;
  return { host: withoutBrackets(hostname), port: Number(port || HTTPS_PORT) };
}

/** @param where completes "The certificate …" */
function judgeCertificate(where: string, { expiresAt, distrust }: PeerCertificate, now: number): Outcome {
  const days = Math.floor((expiresAt - now) / DAY_MS);
  if (expiresAt <= now) return fail(`The certificate ${where} has expired.`, 'Renew it.');
  if (distrust !== null)
    return fail(
      `The certificate ${where} is not trusted: ${distrust}.`,
      'Let the server send a certificate for its name with all intermediate ones.',
      'For an authority of your own, name its certificate in NODE_EXTRA_CA_CERTS.',
    );
  if (days < WARN_DAYS) return warn(`The certificate ${where} ends in ${counted(days, 'day')}.`, 'Renew it.');
  return pass(`The certificate ${where} holds for ${counted(days, 'day')}.`);
}
