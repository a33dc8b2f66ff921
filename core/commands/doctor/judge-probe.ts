import {
  canBeScanned,
  PROBED,
  type Probed,
  type ProbeReason,
  type SourceProbe,
  wordOf,
} from '../../connectors/probe.ts';
import { fail, type Outcome, pass, warn } from './check.ts';

/** A capability whose absence was chosen. */
export const isChosen = (probed: Probed): boolean =>
  probed.state === 'not_configured' && probed.reason !== 'setting_missing';

/** What a test of Microsoft 365 means, capability by capability. */
export function judgeProbe(probe: SourceProbe): Outcome {
  const lacking = PROBED.filter((name) => probe[name].state !== 'ok' && !isChosen(probe[name]));
  const off = PROBED.filter((name) => isChosen(probe[name]));
  const { named, steps } = summaryOf(probe, lacking, stepFor);
  if (!canBeScanned(probe)) return fail(`Microsoft 365 cannot be scanned: ${named}.`, ...steps);
  if (lacking.length > 0) return warn(`Microsoft 365 can be scanned, without all of: ${named}.`, ...steps);
  return pass(
    off.length === 0
      ? 'Every capability answered.'
      : `Every capability answered that is switched on; off: ${off.join(', ')}.`,
  );
}

/** The names of capabilities with their reasons, and each step once. */
export const summaryOf = (
  probe: SourceProbe,
  lacking: readonly (keyof SourceProbe)[],
  stepsFor: (probed: Probed) => string[],
): { named: string; steps: string[] } => ({
  named: lacking.map((name) => `${name} (${wordOf(probe[name])})`).join(', '),
  steps: [...new Set(lacking.flatMap((name) => stepsFor(probe[name])))],
});

/** Of reasons that need no name. */
export const STEPS: Partial<Readonly<Record<ProbeReason, string>>> = {
  credentials_refused:
    'Check SVC_GRAPH_TENANT_ID, SVC_GRAPH_CLIENT_ID and SVC_GRAPH_CLOUD, and whether the secret or certificate has ended.',
  login_can_write: 'Take every right to write away from the login: docs/permissions.md has the statements.',
  no_read_only_credential: 'Take every right that the source can be read without from the credential.',
  api_not_enabled: 'Switch the API of the source on for the application.',
  login_unchecked: 'Let the login see its own rights: docs/permissions.md has the statements.',
  tls_refused:
    'Turn TLS on at the server, with a certificate of its host name from an authority that is trusted here.',
  no_site: 'Select sites that are not personal in SVC_GRAPH_SITES.',
  no_library: 'Select a site with a document library in SVC_GRAPH_SITES.',
  not_offered: 'This cloud or licence has no sensitivity labels: switch SVC_LABEL_READ_ENABLED off.',
  webhook_refused:
    'Let Microsoft reach the webhooks below SVC_WEBHOOK_PUBLIC_URL. The check webhook.handshake tells more.',
  unreachable: 'Allow this machine to reach Graph and the authority: docs/permissions.md names the hosts.',
  throttled: 'Microsoft 365 asks to wait. Run the doctor again later.',
  too_late: 'Run the doctor again. If it stays so, check the network and the load of this machine.',
  refused_otherwise:
    'Compare the settings with docs/permissions.md. Graph refused a call that is well formed.',
  reads_all_mailboxes:
    'Take the application permissions for mail away in Entra, and grant the selected mailboxes alone: docs/permissions.md has the commands.',
  mailbox_reach_unknown:
    'Check with Test-ServicePrincipalAuthorization which mailboxes the application may read: docs/permissions.md has the commands.',
  internal_error: 'This is a fault of the service: report it with this line.',
};

function stepFor(probed: Probed): string[] {
  if (probed.state === 'ok') return [];
  const { reason, missing, position } = probed;
  const names = missing.join(', ');
  switch (reason) {
    case 'missing_permission':
      return [`Grant the application permission ${names}, with admin consent (docs/permissions.md).`];
    case 'site_not_found':
      return [
        `Correct entry ${position} of SVC_GRAPH_SITES: there is no such site, or it is not granted to the application.`,
      ];
    case 'setting_missing':
      return [`Set ${names}.`];
    default:
      return STEPS[reason] === undefined ? [] : [STEPS[reason]];
  }
}
