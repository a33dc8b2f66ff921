import { z } from 'zod';
import { issuerOf } from '../../auth/identity-provider.ts';
import type { Config } from '../../config/config.ts';
import { missingFor } from '../../integrations/integrations.ts';
import { ask } from './ask.ts';
import { type Check, counted, fail, pass, skipped } from './check.ts';
import { isLoopback, withoutBrackets } from './database-server.ts';
import { jsonOf } from './discover-provider.ts';
import { reasonOf } from './reason.ts';

const SETTINGS = 'identity-provider.settings';
const DISCOVERY = 'identity-provider.discovery';
const CALLBACK = '/api/auth/idp/callback';
const ISSUER_STEP =
  'Check SVC_IDP_ISSUER or SVC_IDP_TENANT_ID, and that this machine may reach the provider.';

/** Keys that sign: the service trusts asymmetric ones alone. */
const KeySet = z.object({
  keys: z.array(z.looseObject({ kty: z.string(), use: z.string().optional() })),
});
const ASYMMETRIC = new Set(['RSA', 'EC', 'OKP']);

export const IDENTITY_PROVIDER_CHECKS: readonly Check[] = [
  {
    id: SETTINGS,
    proves: 'Sign-in through the identity provider is configured, with https and the path of the callback.',
    needs: ['configuration.settings'],
    run: ({ config }) => {
      if (config.SVC_AUTH_MODE === 'dev') return skipped('SVC_AUTH_MODE is dev.');
      const missing = missingFor(config, 'idpSignIn');
      if (missing.length > 0)
        return fail('Nobody can sign in: settings are missing.', `Set ${missing.join(', ')}.`);
      const [issuer, redirect] = [issuerOf(config) ?? '', config.SVC_IDP_REDIRECT_URI ?? ''];
      if (!isPrivate(issuer))
        return fail('The issuer is not an https address.', 'Set SVC_IDP_ISSUER to an https address.');
      if (!isPrivate(redirect))
        return fail(
          'The redirect address is not an https address.',
          'Set SVC_IDP_REDIRECT_URI to the https address of the service.',
        );
      if (!new URL(redirect).pathname.endsWith(CALLBACK))
        return fail(
          'The redirect address does not lead to the callback.',
          `End SVC_IDP_REDIRECT_URI with ${CALLBACK}, and register the same address at the provider.`,
        );
      return pass('Sign-in is configured.');
    },
  },
  {
    id: DISCOVERY,
    proves: 'The provider publishes its discovery document, under the issuer that is configured.',
    needs: [SETTINGS],
    run: async (subject, signal) => {
      const found = await subject.provider(signal);
      if (found.problem !== null) return fail(found.problem, ISSUER_STEP);
      // As the service compares them.
      if (new URL(found.issuer).href !== new URL(issuerOf(subject.config) ?? '').href)
        return /\{|%7b/i.test(found.issuer)
          ? fail(
              'The configured issuer is for people of any directory, and tokens of one directory are needed.',
              'Set SVC_IDP_TENANT_ID to the id of your directory (a GUID), or SVC_IDP_ISSUER to the issuer of that directory alone.',
            )
          : fail(
              'The discovery document names another issuer than the settings.',
              issuerStep(subject.config),
            );
      return pass('The discovery document names the configured issuer.');
    },
  },
  {
    id: 'identity-provider.keys',
    proves: 'The provider publishes keys by which ID tokens are verified.',
    needs: [DISCOVERY],
    run: async (subject, signal) => {
      const found = await subject.provider(signal);
      if (found.problem !== null || found.keySet === undefined)
        return fail('The discovery document names no keys.', ISSUER_STEP);
      const answer = await ask(found.keySet, 'GET', signal).catch(reasonOf);
      if (typeof answer === 'string')
        return fail(`The keys cannot be read: ${answer}.`, 'Let this machine reach the address of the keys.');
      const { data } = KeySet.safeParse(jsonOf(answer));
      const usable = data?.keys.filter(({ kty, use }) => ASYMMETRIC.has(kty) && use !== 'enc') ?? [];
      if (answer.status !== 200 || usable.length === 0)
        return fail(
          `The provider publishes no asymmetric key that signs (HTTP ${answer.status}).`,
          'Let the provider sign ID tokens with RS256 or another asymmetric algorithm.',
        );
      return pass(`The provider publishes ${counted(usable.length, 'key')}.`);
    },
  },
];

const issuerStep = ({ SVC_IDP_ISSUER }: Config): string =>
  SVC_IDP_ISSUER === undefined
    ? 'Set SVC_IDP_TENANT_ID to the id of the directory (a GUID).'
    : 'Set SVC_IDP_ISSUER exactly as the document names its issuer.';

/** Whether nobody on the way can read what is sent to an address. */
function isPrivate(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || isLoopback(withoutBrackets(hostname));
}
