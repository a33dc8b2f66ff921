import type { MessageFamily } from '../../connectors/message-source.ts';
import {
  canBeScanned,
  PROBED,
  type Probed,
  type ProbeReason,
  type SourceProbe,
} from '../../connectors/probe.ts';
import { SELECTED_BY } from '../../integrations/configured-sources.ts';
import { fail, type Outcome, pass, warn } from './check.ts';
import { isChosen, STEPS, summaryOf } from './judge-probe.ts';

/** Sources that are tested capability by capability, beside Microsoft 365. */
export type ProbedFamily = MessageFamily | 'cloud_drive' | 'file_box';

/** What a test of a source means. */
export function judgeSource(family: ProbedFamily, probe: SourceProbe): Outcome {
  const lacking = PROBED.filter((name) => probe[name].state !== 'ok' && !isChosen(probe[name]));
  const { named, steps } = summaryOf(probe, lacking, (probed) => stepFor(family, probed));
  if (!canBeScanned(probe)) return fail(`The source cannot be read: ${named}.`, ...steps);
  if (lacking.length > 0) return warn(`The source can be read. To correct: ${named}.`, ...steps);
  return pass('The source answered for everything that is selected.');
}

type Steps = Partial<Readonly<Record<ProbeReason, string>>>;

/** Of the families that are not of Microsoft. */
const OF_FAMILY: Partial<Readonly<Record<ProbedFamily, Steps>>> = {
  cloud_drive: {
    credentials_refused:
      'Check the key file that SVC_CLOUD_DRIVE_CREDENTIALS_REF names, and that SVC_CLOUD_DRIVE_ADMIN and the people of SVC_CLOUD_DRIVE_IDS are active.',
    login_can_write:
      'Take every scope that writes out of the domain-wide delegation of the service account: docs/permissions.md names the ones to keep.',
    api_not_enabled:
      'Switch the Google Drive API on in the project of the service account, for labels the Drive Labels API, and for the directory the Admin SDK API.',
    not_offered:
      'Correct SVC_CLOUD_DRIVE_LABEL: Google shows no published label of this id with a field of choices. Take it out if the edition has no labels.',
    unreachable:
      'Allow this machine to reach www.googleapis.com, drivelabels.googleapis.com, admin.googleapis.com and oauth2.googleapis.com.',
    throttled: 'Google asks to wait. Run the doctor again later.',
    refused_otherwise: 'Compare SVC_CLOUD_DRIVE_IDS with the ids at Google: a call was refused.',
  },
  file_box: {
    credentials_refused:
      'Check SVC_FILE_BOX_CLIENT_ID, SVC_FILE_BOX_ENTERPRISE_ID, SVC_FILE_BOX_USER_ID and the secret that SVC_FILE_BOX_CLIENT_SECRET_REF names, and whether an administrator of Box has authorized the application.',
    no_read_only_credential:
      'Box has no credential for a full scan that only reads. To have one, take every scope but root_readonly from the application and set SVC_FILE_BOX_EVENTS=false: docs/permissions.md says what is lost. Contents are read with tokens that can do nothing else.',
    unreachable: 'Allow this machine to reach api.box.com, and contents at *.boxcloud.com.',
    throttled: 'Box asks to wait. Run the doctor again later.',
    refused_otherwise: 'Compare SVC_FILE_BOX_FOLDERS with the ids at Box: a call was refused.',
  },
};

/** Whose permissions are those of an application of Entra. */
const OF_MICROSOFT: readonly ProbedFamily[] = ['chat', 'mail'];

function stepFor(family: ProbedFamily, probed: Probed): string[] {
  if (probed.state === 'ok') return [];
  const { reason, missing, position } = probed;
  const names = missing.join(', ');
  const entry = `entry ${position ?? 1} of ${SELECTED_BY[family]}`;
  const grant = OF_MICROSOFT.includes(family)
    ? `Grant the application permission ${names}, with admin consent (docs/permissions.md).`
    : `Grant ${names}: docs/permissions.md says where.`;
  const general: Steps = {
    missing_permission:
      position === undefined ? grant : `Let the service read ${entry}: docs/permissions.md says how.`,
    site_not_found: `Correct ${entry}: the source does not know it.`,
    setting_missing: `Set ${names}.`,
    no_site: `Select in ${SELECTED_BY[family]} what is to be read.`,
    no_library: `Correct ${SELECTED_BY[family]}: nothing of it can be listed.`,
  };
  const step = OF_FAMILY[family]?.[reason] ?? general[reason] ?? STEPS[reason];
  return step === undefined ? [] : [step];
}
