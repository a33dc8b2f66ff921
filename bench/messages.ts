import { loadConfig } from '../core/config/config.ts';
import type { MessageFamily, MessageSource, SourceMessage } from '../core/connectors/message-source.ts';
import { createPool } from '../core/db/pool.ts';
import { sql } from '../core/db/sql.ts';
import { type Db, withTx } from '../core/db/tx.ts';
import type { TenantId } from '../core/kernel/ids.ts';
import { syncDue } from '../core/messages/sync-due.ts';
import { requestSync } from '../core/messages/syncs.sql.ts';
import type { SyncParts } from '../core/messages/turn.ts';
import { createLogger } from '../core/observability/log.ts';
import { analysisFor } from '../core/runtime.ts';
import { renderTable } from '../infra/local/table.ts';
import { readOptions } from './support/command-line.ts';
import { makeTenant, startDatabase } from './support/database.ts';
import { inWorkspace, type Workspace } from './support/workspace.ts';

const USAGE = `npm run bench -- messages [--assets N] [--json]

Syncs one channel and one mailbox of N messages each, then changes 100 messages of each and syncs again.

  --assets N  messages of each (default 100000)
  --json      end with one JSON object on the last line`;

const options = readOptions(USAGE);

const PAGE = 50;
const CHANGED = 100;
const FAMILIES: readonly MessageFamily[] = ['chat', 'mail'];
const tenantId = 'bench' as TenantId;
const MIB = 1024 * 1024;

/** A container of numbered messages. The first hundred have changed `revision` times. */
function numberedMessages(family: MessageFamily, messages: number) {
  let revision = 1;
  let calls = 0;
  const message = (n: number): SourceMessage => {
    const version = n < CHANGED ? `${revision}` : '1';
    const text =
      `<p>Hello, about project ${n}: please look at the invoice of Friday, revision ${version}. The meeting is at ten, ` +
      `bring the numbers of the third quarter.</p>${n % 50 === 0 ? '<p>Pay to DE42 2327 2985 9310 4668 71.</p>' : ''}`;
    return {
      ...{
        externalId: `${n}`,
        feed: '',
        rootExternalId: null,
        sourceVersion: version,
        contentVersion: version,
      },
      ...{
        sentAt: new Date(n * 1_000).toISOString(),
        editedAt: null,
        hasOutsiders: false,
        subject: `Project ${n}`,
      },
      ...{ body: { mimeType: 'text/html', text }, attachments: [] },
    };
  };
  const page = (from: number, most: number, next: string) => {
    const to = Math.min(from + PAGE, most);
    return {
      messages: Array.from({ length: to - from }, (_, at) => message(from + at)),
      ...{ gone: [], cursor: to < most ? `${next}${to}` : 'changes:0', isCaughtUp: to === most },
    };
  };
  const counted = <T>(answer: T): Promise<T> => {
    calls++;
    return Promise.resolve(answer);
  };
  const name = `${family} of the bench`;
  const kind = family === 'chat' ? 'standard' : 'mailbox';
  const source: MessageSource = {
    family,
    mode: 'mock',
    listContainers: () =>
      counted({
        containers: [{ externalId: family, entry: family, name, kind, groupName: null }],
        refused: [],
      }),
    readAudience: () => counted({ members: 9, guests: 1, outsiders: 0, isOpen: false, complete: true }),
    readFilesFolder: () => counted(null),
    listFeeds: () => counted(['']),
    listMessages: (_container, _feed, cursor) => {
      const at = Number(cursor?.split(':')[1] ?? 0);
      if (cursor?.startsWith('changes:'))
        return counted({ ...page(at, CHANGED, 'changes:'), isWhole: false });
      const walked = page(at, messages, 'walk:');
      return counted({ ...walked, isWhole: walked.isCaughtUp });
    },
    readAttachments: () => counted([]),
    findBackingItem: () => counted(null),
  };
  return { source, change: () => revision++, calls: () => calls };
}

async function syncAll(parts: SyncParts, source: MessageSource): Promise<number> {
  const began = performance.now();
  await withTx(parts.db, { tenantId, mode: 'write' }, (tx) =>
    requestSync(tx, source.family, 'of the database'),
  );
  await syncDue(parts, (_, family) => (family === source.family ? source : null), {
    signal: new AbortController().signal,
    budgetMs: 3_600_000,
  });
  return performance.now() - began;
}

const storedOf = async (db: Db, family: MessageFamily): Promise<number> => {
  const [row] = await withTx(db, { tenantId, mode: 'read' }, (tx) =>
    tx.query<{ n: number }>(sql`
      select count(*)::int as n from messages join message_containers using (tenant_id, container_id)
       where family = ${family} and coverage = 'covered'`),
  );
  return row?.n ?? 0;
};

type Figures = {
  messages: number;
  perSecond: number;
  callsPerThousand: number;
  deltaMs: number;
  deltaCalls: number;
};

async function measure(workspace: Workspace, messages: number) {
  const urls = await startDatabase(workspace);
  const owner = createPool(urls.ownerUrl, { max: 1, applicationName: 'bench' });
  await makeTenant(owner, tenantId);
  await owner.close();
  const db = createPool(urls.url, { max: 10, applicationName: 'bench' });
  workspace.atEnd(db.close);
  const config = loadConfig({ SVC_ENV: 'development', SVC_DATABASE_URL: urls.url });
  const analysis = analysisFor(config);
  workspace.atEnd(analysis.close);
  const log = createLogger({ level: 'error', clock: Date.now });
  const clock = Date.now;
  const parts: SyncParts = { config, db, clock, log, analysis };
  const families: Record<string, Figures> = {};
  for (const family of FAMILIES) {
    const { source, change, calls } = numberedMessages(family, messages);
    const ms = await syncAll(parts, source);
    const walkCalls = calls();
    if ((await storedOf(db, family)) !== messages) throw new Error('Not all messages were stored');
    change();
    const deltaMs = await syncAll(parts, source);
    families[family] = {
      messages,
      perSecond: Math.round((messages * 1_000) / ms),
      callsPerThousand: Number(((walkCalls * 1_000) / messages).toFixed(1)),
      deltaMs: Math.round(deltaMs),
      deltaCalls: calls() - walkCalls,
    };
  }
  return { families, peakMb: Math.round((process.resourceUsage().maxRSS * 1_024) / MIB) };
}

process.env.SVC_LOG_LEVEL ??= 'error';
const figures = await inWorkspace((workspace) => measure(workspace, options.assets));
const rows = Object.entries(figures.families).map(([family, of]) =>
  [family, of.messages, of.perSecond, of.callsPerThousand, of.deltaMs, of.deltaCalls].map(String),
);
console.log(
  renderTable(
    ['', 'messages', 'a second', 'calls per 1,000', `ms of ${CHANGED} changes`, 'their calls'],
    rows,
  ),
);
console.log(`Peak memory: ${figures.peakMb} MB`);
if (options.json) console.log(JSON.stringify(figures));
