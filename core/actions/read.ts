export { pendingApprovals } from './action-list.sql.ts';
export { PendingApprovalSchema } from './action-schema.ts';
