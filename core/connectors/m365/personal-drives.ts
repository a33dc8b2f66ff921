import { compareText } from '../../kernel/compare-text.ts';
import type { Answer } from '../cloud-http/calls.ts';
import { DeltaCursorInvalid, type RefusedSite, type ScopePage, type SourceScope } from '../connector.ts';
import { Drive } from './graph-answers.ts';
import type { GraphClient } from './graph-client.ts';
import { REFUSED, type RefusedStatus, scopeRefusalOf } from './scope-refusal.ts';

/** Ids of drives begin like this. Another entry names the person whose drive it is, by id or by sign-in name. */
const DRIVE_ID = /^b!/;

/**
 * The selected personal drives, each a scope. A library of a site is refused here: it belongs to the main source. Also
 * refused, by name: people without a drive (`not_found`) and mailboxes that several people share (`denied`).
 */
export async function listPersonalDrives(
  client: GraphClient,
  selected: readonly string[],
  pageToken: string | null,
  signal: AbortSignal,
): Promise<ScopePage> {
  if (pageToken !== null) throw new DeltaCursorInvalid();
  const answers = await Promise.all(
    selected.map(async (name) => ({ name, answer: await readDrive(client, name, signal) })),
  );
  const scopes = new Map<string, SourceScope>();
  const refused: RefusedSite[] = [];
  for (const { name, answer } of answers) {
    const siteId = name.toLowerCase();
    if (!answer.ok) refused.push({ siteId, name, reason: scopeRefusalOf(answer.status) });
    else if (!isPersonal(answer.body)) refused.push({ siteId, name, reason: 'not_found' });
    else {
      const { id } = answer.body;
      const siteIds = [...(scopes.get(id)?.siteIds ?? []), siteId];
      scopes.set(id, { externalId: id, name: nameOf(answer.body, name), kind: 'personal_drive', siteIds });
    }
  }
  const byName = [...scopes.values()].sort(
    (a, b) => compareText(a.name, b.name) || compareText(a.externalId, b.externalId),
  );
  return { scopes: byName, refused, nextPageToken: null };
}

function readDrive(
  client: GraphClient,
  name: string,
  signal: AbortSignal,
): Promise<Answer<Drive, RefusedStatus>> {
  const options = { query: { $select: 'id,name,driveType,owner' }, schema: Drive, expect: REFUSED, signal };
  return DRIVE_ID.test(name)
    ? client.batched('drive', { driveId: name }, options)
    : client.batched('user_drive', { userId: name }, options);
}

const isPersonal = ({ driveType }: Drive): boolean => driveType === 'business' || driveType === 'personal';

const nameOf = ({ owner, name }: Drive, selected: string): string =>
  `${owner?.user?.displayName || selected} / ${name || 'OneDrive'}`;
