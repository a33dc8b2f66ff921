import { ActionDetailSchema, ActionRequestSchema } from '../../actions/action-schema.ts';
import { ONE } from '../page.ts';
import { tool } from '../tool.ts';

const DRAFTED =
  'This is a draft. Nothing has changed at the source. The person must submit it in the service, and another person must approve it.';
const BLOCKED =
  'This is blocked and cannot be submitted; blockedReason says why. Nothing has changed at the source. Once an operator has removed the cause, the person can preview it again in the service.';

export const draftRemediation = tool({
  name: 'draft_remediation',
  title: 'Draft a remediation',
  description:
    'Drafts an action on one asset, with a preview of its effect: an internal task (`taskTitle` is required), or a ' +
    'sensitivity label to set (`desiredLabelGuid`, as `list_taxonomy` returns it) or to remove. It changes nothing at ' +
    'the source. A person submits the draft in the service, and another person approves it there; neither can be done ' +
    'here. `justification` has at least 10 characters and says why, for the people who decide.',
  effect: 'propose',
  input: ActionRequestSchema,
  data: ActionDetailSchema.pick({
    actionId: true,
    kind: true,
    status: true,
    blockedReason: true,
    targetAssetId: true,
    targetAssetName: true,
    findingId: true,
    desiredLabelGuid: true,
    taskTitle: true,
    preview: true,
    createdAt: true,
  }),
  answer: async (ask, request) => {
    const data = await ask(ActionDetailSchema, { method: 'POST', path: '/api/actions', body: request });
    const note = data.status === 'blocked' ? BLOCKED : DRAFTED;
    return { ...ONE, truncated: false, note, data };
  },
});
