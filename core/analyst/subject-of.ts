import { hasField, hasOwnField, SUBJECTS, type Subject } from './plan.ts';
import type { Reading, Statement } from './reading.ts';

export type Noun = Extract<Statement, { kind: 'noun' }>;

/** What the rows of the answer are. `byScope`: scopes are asked for by what they hold, so they group it. */
export function subjectOf(
  reading: Reading,
  nouns: readonly Noun[],
): { subject: Subject; byScope: Noun | null } {
  const first = nouns[0];
  const held = nouns.find(({ subject }) => subject !== 'scopes');
  if (first?.subject === 'scopes' && held !== undefined && !held.negated && held.bounds === null)
    return { subject: held.subject, byScope: first };
  if (first?.subject === 'scopes' && held === undefined && reading.statements.some(isOfAssetsOnly))
    return { subject: 'assets', byScope: first };
  if (first !== undefined) return { subject: first.subject, byScope: null };
  const role = reading.verbs.find(({ meaning }) => meaning.role !== undefined && meaning.role !== 'owner')
    ?.meaning.role;
  if (role !== undefined) return { subject: role === 'requester' ? 'actions' : 'findings', byScope: null };
  const said = [
    ...reading.statements.flatMap((each) =>
      each.kind === 'value' ? [each.readings.map(({ field }) => field)] : [],
    ),
    ...reading.verbs.map(({ meaning }) => Object.values(meaning.time ?? {})),
  ].find((fields) => fields.length > 0 && fields.every((field) => !hasField('assets', field)));
  // Invoices are assets, whatever is said of them.
  const isThing = reading.statements.some(
    (each) => each.kind === 'value' && each.readings.some(({ field }) => field === 'type'),
  );
  const subject = isThing
    ? 'assets'
    : SUBJECTS.find((each) => said?.some((field) => hasOwnField(each, field)));
  return { subject: subject ?? 'assets', byScope: null };
}

const isOfAssetsOnly = (statement: Statement): boolean =>
  statement.kind === 'value' &&
  statement.readings.some(({ field }) => hasOwnField('assets', field)) &&
  statement.readings.every(({ field }) => !hasOwnField('scopes', field));
