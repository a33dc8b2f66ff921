import { createHash } from 'node:crypto';
import { ConnectorError } from '../connectors/connector.ts';
import type { MessageSource, SourceAttachment, SourceMessage } from '../connectors/message-source.ts';
import type { Signal } from '../detectors/detector.ts';
import type { FileHead } from '../extractors/extractor.ts';
import { WorkerNotStarted } from '../extractors/pool/worker-pool.ts';
import type { TenantId } from '../kernel/ids.ts';
import { ThreadFault } from '../kernel/thread-fault.ts';
import type { Logger } from '../observability/log.ts';
import type { GlanceArgument } from '../scan/analyse.ts';
import type { GlancePool } from '../scan/analysis-pool.ts';
import { OwnPartFailed } from '../work/failure.ts';
import type { ProvenLevel } from './findings.sql.ts';
import { provenLevel } from './judge.ts';
import type { KeptSignal, ReadAttachment, ReadMessage } from './messages.sql.ts';
import type { ReadingRules } from './reading-rules.ts';

const MAX_PREVIEW = 400;
/** Attachments of one message that are looked at. With more, the message is `partial`. */
const MAX_ATTACHMENTS = 50;
/** After this time, further copies of a message are not read. */
const COPIES_WITHIN_MS = 60_000;
const NAME_LOOKED_AT = 500;
/** A sender may write anything as the type of a file. Parameters, such as a name, are left out. */
const MIME_TYPE = /^[a-z]{1,20}\/[\w+.-]{1,100}(?=\s*(?:;|$))/i;
/** As many digits as are masked in a text. */
const NUMBER = /(?:\d[+._-]*){5}/;

/** What a message is read with. */
export type Look = {
  source: MessageSource;
  containerExternalId: string;
  analysis: GlancePool;
  rules: ReadingRules;
  /** The most bytes of a copy. */
  maxBytes: number;
  log: Logger;
  tenantId: TenantId;
  signal: AbortSignal;
};

/**
 * `level`: of the identifiers in the message and its copies that prove themselves. `isWhole`: all was read of it that the
 * service can read, so that there are no others.
 */
export type Read = ReadMessage & { level: ProvenLevel | null; isWhole: boolean };

/** Reads a message with its attachments. Its text and theirs stay in the extraction threads. */
export async function readMessage(look: Look, message: SourceMessage): Promise<Read> {
  const listed =
    message.attachments === 'unread' ? await listAttachments(look, message) : message.attachments;
  const cards = listed.filter(({ kind }) => kind === 'card');
  const others = listed.filter(({ kind }) => kind !== 'card');
  const kept = others.slice(0, MAX_ATTACHMENTS);
  const opening = look.rules.keepsPreviews ? MAX_PREVIEW : 0;
  const names = kept.map(({ name }) => (name ?? '').slice(0, NAME_LOOKED_AT));
  const text = await glanceAt(look, textOf(message, cards), { opening, names });
  const copies: Copy[] = [];
  const began = performance.now();
  for (const [at, attachment] of kept.entries()) {
    const isLate = performance.now() - began > COPIES_WITHIN_MS;
    copies.push(await readAttachment(look, attachment, text.names[at] || null, isLate));
  }
  const attachments = copies.map(({ attachment }) => attachment);
  const outcome = stateOf(message, text, others.length);
  // A message that has attachments, and none that can be listed.
  const isUnlisted = message.attachments === 'unread' && listed.length === 0;
  return {
    message,
    ...outcome,
    preview: text.opening || null,
    signals: text.signals.map(keptSignal),
    attachments,
    isWhole: !isUnlisted && outcome.state === 'available' && attachments.every(isReadWhole),
    level: provenLevel([...text.signals, ...copies.flatMap(({ signals }) => signals)]),
  };
}

/** A format without text has never had identifiers, and a link has none of its own. */
const isReadWhole = ({ state }: ReadAttachment): boolean =>
  state === 'available' || state === 'unsupported' || state === 'not_fetched';

const keptSignal = ({ detectorId, count, confidence }: Signal): KeptSignal => ({
  detectorId,
  count,
  confidence,
});

function stateOf(
  { body }: SourceMessage,
  { state, reason }: Pick<Glanced, 'state' | 'reason'>,
  attachments: number,
): Pick<ReadMessage, 'state' | 'reason'> {
  if (state !== 'available') return { state, reason };
  if (body === null) return { state: 'inaccessible', reason: null };
  return attachments > MAX_ATTACHMENTS ? { state: 'partial', reason: 'member_bound' } : { state, reason };
}

/** What the source cannot read of one message is no reason to stop at it. */
const unreadable = (error: unknown): boolean =>
  error instanceof ConnectorError && !['transient', 'throttled', 'auth'].includes(error.retryClass);

async function listAttachments(
  { source, containerExternalId, maxBytes, signal }: Look,
  { externalId }: SourceMessage,
): Promise<readonly SourceAttachment[]> {
  try {
    return await source.readAttachments(containerExternalId, externalId, maxBytes, signal);
  } catch (error) {
    if (unreadable(error)) return [];
    throw error;
  }
}

/** With this mark first, a page is read as UTF-8, whatever it declares. */
const BYTE_ORDER_MARK = '\ufeff';
const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const paragraph = (text: string) => `<p>${text.replace(/[&<>]/g, (each) => ESCAPED[each] ?? each)}</p>\n`;

/** The message as a file. Cards come before a body, which may leave its markup open. */
function textOf({ subject, body }: SourceMessage, cards: readonly SourceAttachment[]): FileHead {
  const before = [
    ...(subject === null ? [] : [subject]),
    ...cards.flatMap(({ content }) =>
      content.state === 'available' ? [new TextDecoder().decode(content.bytes)] : [],
    ),
  ];
  const isHtml = body?.mimeType === 'text/html';
  const text = [...(isHtml ? before.map(paragraph) : before), body?.text ?? ''].join('\n');
  return {
    name: isHtml ? 'message.html' : 'message.txt',
    mimeType: isHtml ? 'text/html' : 'text/plain',
    bytes: new TextEncoder().encode(BYTE_ORDER_MARK + text),
  };
}

type Copy = { attachment: ReadAttachment; signals: readonly Signal[] };

async function readAttachment(
  look: Look,
  attached: SourceAttachment,
  name: string | null,
  isLate: boolean,
): Promise<Copy> {
  const { kind, mimeType, sizeBytes, url, content } = attached;
  const common = { kind, name, mimeType: keptType(mimeType), sizeBytes, hash: null, signals: [] };
  const nowhere = { backingScopeExternalId: null, backingExternalId: null };
  switch (content.state) {
    case 'link': {
      const backing = url === null ? null : await backingItem(look, url);
      const found = {
        backingScopeExternalId: backing?.scopeExternalId ?? null,
        backingExternalId: backing?.externalId ?? null,
      };
      return { attachment: { ...common, ...found, state: 'not_fetched', reason: null }, signals: [] };
    }
    case 'too_large':
      return { attachment: { ...common, ...nowhere, state: 'failed', reason: 'size_bound' }, signals: [] };
    case 'inaccessible':
      return { attachment: { ...common, ...nowhere, state: 'inaccessible', reason: null }, signals: [] };
    case 'available': {
      const hash = createHash('sha256').update(content.bytes).digest('hex');
      if (isLate)
        return {
          attachment: { ...common, ...nowhere, hash, state: 'failed', reason: 'time_bound' },
          signals: [],
        };
      const file = { name: attached.name ?? '', mimeType, bytes: content.bytes };
      const { state, reason, signals } = await glanceAt(look, file, { opening: 0, names: [] });
      return {
        attachment: { ...common, ...nowhere, hash, state, reason, signals: signals.map(keptSignal) },
        signals,
      };
    }
  }
}

function keptType(mimeType: string | null): string | null {
  const [type = ''] = MIME_TYPE.exec(mimeType ?? '') ?? [];
  return type === '' || NUMBER.test(type) ? null : type;
}

async function backingItem({ source, signal }: Look, url: string) {
  try {
    return await source.findBackingItem(url, signal);
  } catch (error) {
    if (unreadable(error)) return null;
    throw error;
  }
}

type Glanced = Pick<ReadMessage, 'state' | 'reason'> & {
  signals: readonly Signal[];
  opening: string;
  names: readonly string[];
};

/** A file that shows a bug of an extractor or a detector is `failed`, so that it holds up no other. */
async function glanceAt(
  { analysis, rules: { detectors, homes }, log, tenantId }: Look,
  file: FileHead,
  wanted: Pick<GlanceArgument, 'opening' | 'names'>,
): Promise<Glanced> {
  const nothing = { signals: [], opening: '', names: [] };
  try {
    const ended = await analysis.glance(file, { ...wanted, detectors, homes });
    const { state, reason } = ended;
    return { state, reason, ...('analysis' in ended ? ended.analysis : nothing) };
  } catch (error) {
    if (error instanceof WorkerNotStarted) throw new OwnPartFailed('no_threads');
    if (!(error instanceof ThreadFault)) throw error;
    log.error('message_not_read', { tenantId }, error);
    return { state: 'failed', reason: 'corrupt', ...nothing };
  }
}
