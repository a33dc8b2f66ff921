import { sql } from '../../core/db/sql.ts';
import type { Tx } from '../../core/db/tx.ts';
import type { ContentReason } from '../../core/kernel/vocabulary.ts';
import { fitted, printable } from './table.ts';

/** Of the files with the same state and reason, this many are named. */
const MOST_NAMED = 10;
const WIDTH = 78;

/** The states of files that were not read, or not wholly, in the order of the list. */
const STATES = ['inaccessible', 'failed', 'unsupported', 'partial'] as const;
type State = (typeof STATES)[number];

/** What each reason means, and what to do. */
const WORDS: Readonly<Record<ContentReason, string>> = {
  ocr_off: 'text in pictures is not read. Set SVC_OCR=true to read it',
  unknown_format: 'no reader for the format. docs/extraction.md lists the formats',
  unknown_encoding: 'the text is too short to know its encoding. Save it as UTF-8',
  encrypted: 'a password or key is needed',
  package: 'it has several parts and no content of its own, like a notebook',
  malware: 'the source found it harmful',
  archived: 'in an archive tier: restore it to read it',
  no_download: 'the source does not let the account of the service download it',
  size_bound: 'too large. Raise SVC_EXTRACT_MAX_INPUT_MB or SVC_EXTRACT_MAX_INFLATED_MB',
  time_bound: 'it took too long. Raise SVC_EXTRACT_SECONDS',
  memory_bound: 'it took too much memory. Raise SVC_EXTRACT_WORKER_MB',
  output_bound: 'the rest of the text was left out. Raise SVC_EXTRACT_MAX_CHARACTERS',
  member_bound: 'a bound was reached. The settings SVC_EXTRACT_… raise it',
  partly_visible: 'row security or masks hide a part. Let the login of the service see it',
  sampled: 'a sample of the rows was read, as of every large table',
  damaged: 'a part is broken. The rest was read',
  corrupt: 'the file is broken',
};
const DENIED = 'access was denied. Let the account of the service read it';

type Row = {
  state: State;
  reason: ContentReason | null;
  path: string;
  unreadParts: number | null;
  /** Of the files with this state and reason, including those that are not named. */
  alike: number;
};

/** The files of these scopes that were not read, or not wholly, by reason. Empty if there are none. */
export async function unreadFiles(tx: Tx, scopeIds: readonly string[]): Promise<string> {
  const rows = await tx.query<Row>(sql`
    select state, reason, path, "unreadParts", alike
      from (select content_state as state, content_reason as reason, path, unread_parts as "unreadParts",
                   (count(*) over alike)::int as alike,
                   row_number() over (alike order by path collate "C", asset_id) as place
              from assets
             where tenant_id = ${tx.tenantId} and scope_id = any(${scopeIds}::text[]) and status = 'active'
               and content_state = any(${[...STATES]}::text[])
            window alike as (partition by content_state, content_reason)) ranked
     where place <= ${MOST_NAMED}
     order by array_position(${[...STATES]}::text[], state), reason, place`);
  return describeUnread(rows);
}

/** @param rows sorted by state and reason, of each at most `MOST_NAMED` */
export function describeUnread(rows: readonly Row[]): string {
  if (rows.length === 0) return '';
  const groups = [...Map.groupBy(rows, ({ state, reason }) => `${state} ${reason}`).values()];
  const lines = groups.flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const why = first.reason === null ? DENIED : WORDS[first.reason];
    const more = first.alike - group.length;
    return [
      ...wrapped(`${first.state} (${first.alike}): ${why}.`),
      ...group.map((row) => `    ${fileLine(row)}`),
      ...(more > 0 ? [`    … and ${more} more`] : []),
    ];
  });
  const all = 'All of them: GET /api/assets?contentState=partial, or another of these states.';
  return ['Files that could not be read, or not wholly', '─'.repeat(43), ...lines, all, ''].join('\n');
}

function fileLine({ path, unreadParts }: Row): string {
  const parts =
    unreadParts === null ? '' : `  (${unreadParts} ${unreadParts === 1 ? 'part' : 'parts'} not read)`;
  return fitted(printable(path), WIDTH - 4 - parts.length) + parts;
}

/** The words on lines of at most `WIDTH` characters. */
function wrapped(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= WIDTH - 2) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => `  ${line}`);
}
