import { z } from 'zod';
import { ACTION_STATUSES, type Severity } from '../kernel/vocabulary.ts';
import { DAY_MS, type FindingKind } from './risk.ts';

const Timestamp = z.iso.datetime();

const PlaceSchema = z.object({ scopeId: z.string(), scopeName: z.string() });
const RequiredLabelSchema = z.object({ labelGuid: z.string(), labelName: z.string() });

/** The kinds of action that help against findings. */
export const PROPOSED_KINDS = ['sensitivity_label_set', 'internal_task'] as const;

/** A request for an action as `POST /api/actions` takes it. */
const ProposedActionSchema = z.object({
  kind: z.enum(PROPOSED_KINDS),
  targetAssetId: z.string(),
  findingId: z.string(),
  justification: z.string(),
  desiredLabelGuid: z.string().optional(),
  taskTitle: z.string().optional(),
});
type ProposedAction = z.infer<typeof ProposedActionSchema>;

/** What to do about a finding, and until when. */
export const RemedySchema = z.object({
  path: z.string(),
  sourceUrl: z.string().nullable(),
  since: Timestamp.describe('When it was opened, or came back after it was resolved'),
  dueAt: Timestamp.nullable().describe('By its severity. Null if it is resolved'),
  toDo: z.string().nullable().describe('What to do, in one sentence. Null if it is resolved'),
  requiredLabel: RequiredLabelSchema.nullable().describe(
    'The weakest label that fits. For findings of the kind `label`',
  ),
  expectedPlaces: z
    .array(PlaceSchema)
    .describe(
      'Scopes that are governed for such documents, as far as the caller may see them. For the kind `location`',
    ),
  proposedAction: ProposedActionSchema.nullable().describe(
    'The body of a request to `POST /api/actions`. Null if the caller may not draft it, or no action helps',
  ),
  latestAction: z
    .object({ actionId: z.string(), status: z.enum(ACTION_STATUSES) })
    .nullable()
    .describe('The newest action that was drafted for it, as far as the caller may see actions'),
});
export type Remedy = z.infer<typeof RemedySchema>;

/** Days after which a finding is due. */
export const DUE_AFTER_DAYS: Readonly<Record<Severity, number>> = {
  critical: 7,
  high: 30,
  medium: 90,
  low: 180,
};

/** Of a finding, what its remedy depends on. */
export type Remediable = {
  findingId: string;
  kind: FindingKind;
  severity: Severity;
  status: string;
  notes: string;
};

/** What is stored of the asset of a finding. */
export type RemedyFacts = Pick<
  Remedy,
  'path' | 'sourceUrl' | 'requiredLabel' | 'expectedPlaces' | 'latestAction'
> & {
  assetId: string;
  since: Date;
  /** Whether the reader may draft actions on the asset. */
  isDraftable: boolean;
};

/** What to do about a finding. Pure. */
export function remedyOf(finding: Remediable, facts: RemedyFacts): Remedy {
  const { path, sourceUrl, since, isDraftable, latestAction } = facts;
  const where = { path, sourceUrl, since: since.toISOString(), latestAction };
  if (finding.status === 'resolved')
    return {
      ...where,
      dueAt: null,
      toDo: null,
      requiredLabel: null,
      expectedPlaces: [],
      proposedAction: null,
    };
  const toDo = sentence(finding.kind, facts);
  return {
    ...where,
    dueAt: new Date(since.getTime() + DUE_AFTER_DAYS[finding.severity] * DAY_MS).toISOString(),
    toDo,
    requiredLabel: facts.requiredLabel,
    expectedPlaces: facts.expectedPlaces,
    proposedAction: isDraftable ? proposed(finding, toDo, facts) : null,
  };
}

function sentence(kind: FindingKind, { requiredLabel, expectedPlaces }: RemedyFacts): string {
  switch (kind) {
    case 'exposure':
      return 'Restrict who can open it to those who need it.';
    case 'label':
      return requiredLabel === null
        ? 'Give it a label that fits what it holds.'
        : `Give it the label “${requiredLabel.labelName}” or a stronger one.`;
    case 'location': {
      const names = expectedPlaces.map(({ scopeName }) => `“${scopeName}”`);
      return names.length === 0
        ? 'Move it to a place that is governed for such documents.'
        : `Move it to ${names.join(' or ')}, where such documents are governed.`;
    }
    case 'unmanaged_copy':
      return 'Say whether it is yours, or delete the copy.';
    case 'stale_access':
      return 'Take away access that nobody needs any more, or archive it.';
    case 'no_owner':
      return 'Assign an owner to the domain that it was sent to, or take it back.';
  }
}

const MAX_TITLE = 200;

/** Only the owner of an asset can answer for it, and only governance assigns owners: no action does that. */
function proposed(
  { findingId, kind, notes }: Remediable,
  toDo: string,
  { assetId: targetAssetId, requiredLabel }: RemedyFacts,
): ProposedAction | null {
  if (kind === 'no_owner') return null;
  const asked = { targetAssetId, findingId, justification: notes };
  return kind === 'label' && requiredLabel !== null
    ? { kind: 'sensitivity_label_set', ...asked, desiredLabelGuid: requiredLabel.labelGuid }
    : { kind: 'internal_task', ...asked, taskTitle: toDo.slice(0, MAX_TITLE) };
}
