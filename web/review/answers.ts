import type {
  Candidate,
  CandidateDetail,
  Decision,
  ReviewDecideRequest,
} from '../../client/generated/service.schemas.ts';

/** A question, from the queue or from its detail. */
export type Question = Candidate | CandidateDetail;

/** The six answers, by their keys. Two need one thing more, which a type-ahead asks for. */
export const ANSWERS: readonly {
  key: string;
  decision: Decision;
  label: string;
  needs?: 'type' | 'domain';
}[] = [
  { key: '1', decision: 'mine', label: 'Mine' },
  { key: '2', decision: 'mine_different_type', label: 'Mine, another type', needs: 'type' },
  { key: '3', decision: 'another_domain', label: 'Another domain', needs: 'domain' },
  { key: '4', decision: 'mine_not_sensitive', label: 'Mine, not sensitive' },
  { key: '5', decision: 'not_a_match', label: 'Not a match' },
  { key: '6', decision: 'need_more_evidence', label: 'Need more evidence' },
];

export const labelOf = (decision: Decision): string =>
  ANSWERS.find((each) => each.decision === decision)?.label ?? decision;

/** What a person types beside an answer. */
export type Remark = { note: string; trainingEligible: boolean };
export const NO_REMARK: Remark = { note: '', trainingEligible: false };

export type Answer = ReviewDecideRequest;

/** The answer with its remark. */
export const withRemark = <A extends Answer>(answer: A, { note, trainingEligible }: Remark): A => ({
  ...answer,
  trainingEligible,
  ...(note.trim() !== '' && { note: note.trim() }),
});

/** Why a question is asked, where it is not only that the model suggests it. */
export const REASONS: Readonly<Record<Candidate['askedBecause'], string | null>> = {
  inferred: null,
  routed: 'sent by a colleague',
  corrected: 'a correction named it',
  returned: 'came back to you',
  put_off: 'put off, new evidence',
  correction_revised: 'its correction was revised',
  content_changed: 'asked again: content changed',
  representative: 'one of several alike',
};
