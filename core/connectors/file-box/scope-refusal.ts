import type { ScopeRefusal } from '../../kernel/vocabulary.ts';
import { type ConnectorError, ScopeRefused } from '../connector.ts';
import { BoxEntry } from './box-answers.ts';
import type { BoxClient } from './box-client.ts';
import { isActive } from './box-item.ts';

/** What Box answers for a folder that it does not show to the account: mostly 404, whether or not it exists. */
export const REFUSED = [403, 404, 410] as const;

const reasonOf = (status: (typeof REFUSED)[number]): ScopeRefusal =>
  status === 403 ? 'denied' : 'not_found';

const scopeRefused = (status: (typeof REFUSED)[number]): ConnectorError =>
  new ScopeRefused(reasonOf(status), `box_folder_${status}`);

/** The folder of a scope. Throws `ScopeRefused` if Box does not show it, or it is in the trash. */
export async function scopeFolder(
  client: BoxClient,
  folderId: string,
  fields: string,
  signal: AbortSignal,
): Promise<BoxEntry> {
  const answer = await client.get(
    'folder',
    { folderId },
    { query: { fields: `${fields},item_status` }, schema: BoxEntry, expect: REFUSED, signal },
  );
  if (!answer.ok) throw scopeRefused(answer.status);
  if (!isActive(answer.body)) throw scopeRefused(404);
  return answer.body;
}
