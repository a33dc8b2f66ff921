import { ConnectorError } from '../connector.ts';
import { scopeRefused } from '../m365/scope-refusal.ts';
import type { Folder } from './mail-answers.ts';
import type { MailboxCalls } from './mailbox-calls.ts';

/** The top of what a person sees. What Exchange keeps of deleted messages (Recoverable Items) is beside it. */
const TOP = 'msgfolderroot';
/** More than any mailbox may have below one folder, and far more than a person makes. */
const MAX_FOLDERS = 20_000;
const SEARCH_FOLDER = '#microsoft.graph.mailsearchfolder';

/**
 * The ids of all folders of a mailbox, hidden ones too. Search folders are left out: they show messages of other
 * folders. Throws `ScopeRefused`.
 */
export async function listFolders(calls: MailboxCalls, signal: AbortSignal): Promise<string[]> {
  const found = new Set<string>();
  let level = await childrenOf(calls, TOP, signal);
  while (level.length > 0) {
    const fresh = level.filter(({ id }) => !found.has(id));
    for (const { id } of fresh) found.add(id);
    if (found.size > MAX_FOLDERS) throw new ConnectorError('permanent', 'graph_mail_folders_too_large');
    const parents = fresh.filter(({ childFolderCount }) => childFolderCount !== 0);
    level = (await Promise.all(parents.map(({ id }) => childrenOf(calls, id, signal)))).flat();
  }
  return [...found];
}

/** None of a folder that has gone meanwhile. */
async function childrenOf(calls: MailboxCalls, folderId: string, signal: AbortSignal): Promise<Folder[]> {
  const answer = await calls.folders(folderId, signal);
  if (answer.ok)
    return answer.body.filter((folder) => folder['@odata.type']?.toLowerCase() !== SEARCH_FOLDER);
  if (folderId !== TOP && (answer.status === 404 || answer.status === 410)) return [];
  throw scopeRefused('mail_folders', answer.status);
}
