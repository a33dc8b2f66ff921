import type { ChainHead } from './verify.ts';
import type { ExportReport } from './verify-export.ts';

/** An explanation of each reason for readers of the report. */
const MEANING: Readonly<Record<NonNullable<ExportReport['firstBreak']>['reason'], string>> = {
  malformed_header: 'the file does not begin with the header of an export of the audit trail',
  segment_gap: 'the file begins later than the one before it ends: a file between them is missing',
  segment_overlap: 'the file begins earlier than the one before it ends: leave one of them out',
  segment_mismatch: 'the file begins with another checkpoint than the one before it ends with',
  malformed_line: 'the line is not one of an export: changed, cut short, or of another encoding',
  sequence_gap: 'the event is not the next in the chain',
  hash_mismatch: 'the event is not what its hash says: one of them was changed',
  not_canonical: 'the event is not written in its one canonical form',
  previous_hash_mismatch: 'the event does not follow the one before: something was changed, removed or moved',
  wrong_tenant: 'the event is of another tenant',
  head_mismatch: 'the chain does not end where the export says: its tail is missing or was changed',
  checkpoint_forged: 'the checkpoint was not signed by the key that it names',
  checkpoint_gap: 'a checkpoint is missing, repeated or out of place',
  checkpoint_mismatch: 'the chain differs from what a checkpoint signed: its past was rewritten',
  checkpoint_key_unknown: 'the newest checkpoint is not of a key that you trust, or there is none',
  tail_cut:
    'the chain ends before an event that a checkpoint signed: its tail was cut, or the checkpoint is younger than the export',
};

/** What came from outside of the files: kept checkpoints, and the number of keys. */
type Outside = { kept: readonly ChainHead[]; keys: number };

/** A report for people. */
export function exportReportText(report: ExportReport, outside: Outside): string {
  const { ok, files, tenantId, after, count, head, checkpoints, newestCheckpoints, firstBreak } = report;
  const lines = [
    ok ? 'The export holds.' : 'The export does NOT hold.',
    '',
    `  files        ${files.join(', ')}`,
    `  tenant       ${tenantId ?? 'unknown'}`,
    ...(after === null ? [] : [`  begins       after event ${after.seq}, checkpoint ${after.number}`]),
    `  events       ${count.toLocaleString('en-US')}${ok ? '' : ' hold'}`,
    `  head         ${head.seq} ${head.hash}`,
    `  checkpoints  ${checkpoints.toLocaleString('en-US')}${ok ? '' : ' hold'}`,
  ];
  if (firstBreak !== null) {
    const { file, line, seq, reason } = firstBreak;
    lines.push('', `${file}, line ${line}, event ${seq}: ${reason}`, `  ${MEANING[reason]}.`);
  }
  if (newestCheckpoints.length > 0) {
    lines.push('', 'Newest checkpoints   signed at                 event  key');
    for (const { number, at, seq, keyId } of newestCheckpoints) {
      lines.push(`  ${String(number).padStart(17)}  ${at}  ${String(seq).padStart(9)}  ${keyId}`);
    }
  }
  if (ok) lines.push('', ...limits(report, outside));
  return lines.join('\n');
}

/** What the check could not establish. */
function limits({ after, head, newestCheckpoints }: ExportReport, { kept, keys }: Outside): string[] {
  const [newest] = newestCheckpoints;
  const signed = newest?.seq ?? 0;
  const found: string[] = [];
  const earlier = kept.filter(({ seq }) => seq < (after?.seq ?? 0)).length;
  const reached = kept.length - earlier;
  if (after !== null) {
    found.push(
      `The ${after.seq.toLocaleString('en-US')} events before it were not checked. Give the files before it for that.`,
    );
  }
  if (earlier > 0) found.push(`Of the checkpoints that you kept, ${earlier} sign events before it.`);
  if (reached > 0) {
    found.push(
      earlier > 0
        ? `It reaches and agrees with the others (${reached}).`
        : `It reaches and agrees with every checkpoint that you kept (${reached}).`,
    );
  } else if (keys + earlier > 0) {
    found.push(
      'The newest checkpoint is of a key that you trust. An export that was cut at an earlier one and made whole',
    );
    found.push('again would hold as well: only checkpoints that you kept (--checkpoint) find that.');
  } else {
    found.push(
      'Nothing from outside of the files was given: a trail that was cut, or made with keys of somebody else, and is',
    );
    found.push(
      'whole in itself would hold as well. Give checkpoints that you kept (--checkpoint), or a public key.',
    );
  }
  if (signed < head.seq) {
    found.push(
      `Of the last ${(head.seq - signed).toLocaleString('en-US')} events no checkpoint in the files says anything yet.`,
    );
  }
  return found;
}
