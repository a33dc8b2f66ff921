import { blocked, notConfigured, OK, type Probed, probed, type SourceProbe } from '../probe.ts';
import { probeBoxGroups } from './box-address-book.ts';
import { BoxUsers } from './box-answers.ts';
import type { BoxClient } from './box-client.ts';
import { feedNow } from './box-delta.ts';
import { readCaller } from './box-people.ts';
import type { FileBoxOptions } from './file-box-connector.ts';

/** Rights of the application at Box that a scan can do without. Both of them also write. */
const PEOPLE = 'manage_managed_users';
const EVENTS = 'manage_enterprise_properties';

/** A full scan needs both, so Box has no credential for it that only reads. Nothing reports the rights of an application. */
const NOT_READ_ONLY: Probed = { state: 'warning', reason: 'no_read_only_credential', missing: [] };

/**
 * What the credential of Box may do besides reading files: list the people of the enterprise, without whom nobody is known to
 * be external, and read its events.
 */
export async function probeBox(
  { reader, admin, readsEvents, clock }: Pick<FileBoxOptions, 'reader' | 'admin' | 'readsEvents' | 'clock'>,
  signal: AbortSignal,
): Promise<Pick<SourceProbe, 'token' | 'sharing' | 'notifications' | 'directory' | 'reach'>> {
  const token = await probed(async () => {
    await readCaller(reader, signal);
    return OK;
  }, signal);
  const sharing = await probed(() => listsPeople(admin, signal), signal);
  const notifications = readsEvents
    ? await probed(async () => {
        const { position } = await feedNow({ reader, events: admin, clock }, signal);
        return position === null ? blocked('missing_permission', EVENTS) : OK;
      }, signal)
    : notConfigured('switched_off', 'SVC_FILE_BOX_EVENTS');
  const directory = await probed(() => probeBoxGroups(admin, signal), signal);
  return { token, sharing, notifications, directory, reach: token.state === 'ok' ? NOT_READ_ONLY : token };
}

async function listsPeople(admin: BoxClient, signal: AbortSignal): Promise<Probed> {
  const query = { user_type: 'managed', fields: 'id,login', usemarker: 'true', limit: 1 };
  const options = { query, schema: BoxUsers, expect: [403, 404] as const, signal };
  return (await admin.get('users', {}, options)).ok ? OK : blocked('missing_permission', PEOPLE);
}
