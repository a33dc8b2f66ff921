import { isStorageConfigured } from '../../platform/storage-clients.ts';
import { probeTable } from '../../platform/storage-probe.ts';
import { type Check, counted, fail, type Outcome, pass, skipped, warn } from './check.ts';
import { reasonOf, statusOf } from './reason.ts';

const SETTINGS = 'storage.settings';
const QUEUE = 'storage.queue';

export const STORAGE_CHECKS: readonly Check[] = [
  {
    id: SETTINGS,
    proves: 'A storage account is configured.',
    needs: ['configuration.settings'],
    run: ({ config }) => {
      if (isStorageConfigured(config)) return pass('A storage account is configured.');
      const step = 'Set AzureWebJobsStorage, or AzureWebJobsStorage__accountName for a managed identity.';
      if (config.SVC_AUTH_MODE === 'idp')
        return fail('No storage account is configured, so nobody can sign in.', step);
      return warn('No storage account is configured: the Functions host needs one.', step);
    },
  },
  {
    id: QUEUE,
    proves:
      'The queue of doorbells can be read and written: a message is put, hidden from everybody, and deleted.',
    needs: [SETTINGS],
    run: async (subject, signal) => {
      try {
        await subject.queue(signal);
      } catch (error) {
        return refused('queue', 'Storage Queue Data Contributor', error);
      }
      return pass('A message was put and deleted.');
    },
  },
  {
    id: 'storage.table',
    proves:
      'The table of sign-ins can be written, read and deleted from: an expired entry is put and deleted.',
    needs: [SETTINGS],
    run: async ({ config }, signal) => {
      if (config.SVC_AUTH_MODE === 'dev') return skipped('SVC_AUTH_MODE is dev.');
      try {
        await probeTable(config, signal);
      } catch (error) {
        return refused('table', 'Storage Table Data Contributor', error);
      }
      return pass('An entry was put, read and deleted.');
    },
  },
  {
    id: 'storage.poison-queue',
    proves: 'No doorbell failed so often that the Functions host gave it up.',
    needs: [QUEUE],
    run: async (subject, signal) => {
      const { poisoned } = await subject.queue(signal);
      if (poisoned === 0) return pass('The poison queue is empty.');
      return warn(
        `The poison queue has ${counted(poisoned, 'doorbell')}.`,
        'Read in the log of the host why drain-work failed, then empty the queue work-doorbells-poison. No work is lost.',
      );
    },
  },
];

function refused(kind: 'queue' | 'table', role: string, error: unknown): Outcome {
  const status = statusOf(error);
  const said = `The ${kind} service refused or did not answer: ${reasonOf(error)}.`;
  if (status === 401 || status === 403)
    return fail(
      said,
      'With AzureWebJobsStorage: check the account key, and the clock of this machine.',
      `With a managed identity: give it the role ${role} on the account.`,
      'If the account has a firewall: let this network in.',
    );
  return fail(
    said,
    'Check AzureWebJobsStorage or AzureWebJobsStorage__accountName, and that this machine may reach the account.',
  );
}
