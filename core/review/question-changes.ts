import type { CandidateStatus } from './candidate-states.ts';

/** A candidate of an asset in the domain of a question, whatever its status, and when it changed last. */
export type Member = {
  /** Null if a colleague asks about the domain as a whole. */
  informationTypeName: string | null;
  status: CandidateStatus;
  revision: number;
  /** Its revision when its status or decision changed last. Null if that was before release 26.11.26.1. */
  statusRevision: number | null;
  /** Its revision when its content was read again last, or null. */
  contentRevision: number | null;
};

/** Names beyond this are counted. */
const MAX_NAMES = 3;

/**
 * What has changed in a question since the revision `seen`, as the message of a refusal. It names only types of the
 * question's own domain, which its owners may see.
 * @param revision the present one
 */
export function whatChanged(members: readonly Member[], revision: number, seen: number): string {
  if (seen > revision) return 'The question has no such revision. Read it again.';
  const changed = members.filter(({ revision }) => revision > seen);
  const moved = changed.filter(({ statusRevision }) => statusRevision !== null && statusRevision > seen);
  const added = moved.filter(({ status }) => status === 'pending');
  const removed = moved.filter(({ status }) => status === 'withdrawn');
  const hasNewContent = changed.some(
    ({ contentRevision }) => contentRevision !== null && contentRevision > seen,
  );
  const facts = [
    ...(added.length > 0 ? [`it now also asks about ${namesOf(added)}`] : []),
    ...(removed.length > 0 ? [`it no longer asks about ${namesOf(removed)}`] : []),
    ...(moved.length > added.length + removed.length ? ['somebody has answered'] : []),
    ...(hasNewContent ? ['its content has been read again'] : []),
  ];
  const known = facts.length > 0 ? facts : [changed.length > 0 ? RATED : REWORDED];
  return `The question has changed since revision ${seen}: ${known.join('; ')}. Read it again.`;
}

const RATED = 'the model rates it otherwise';
const REWORDED = 'its domain or an information type has other words';

function namesOf(members: readonly Member[]): string {
  const names = members.map(({ informationTypeName }) =>
    informationTypeName === null ? 'the domain as a whole' : `“${informationTypeName}”`,
  );
  const rest = names.length - MAX_NAMES;
  return [...names.slice(0, MAX_NAMES), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}
