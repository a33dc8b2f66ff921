import {
  MAX_UPLOAD_BYTES,
  PolicyUploadSchema,
  UploadedPolicySchema,
  uploadPolicy,
} from '../../../core/governance/policy-documents.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const uploadPolicyDocument = endpoint({
  name: 'onboarding-upload-policy',
  method: 'POST',
  path: '/api/onboarding/policy-documents',
  summary: 'Upload the text of a policy',
  description:
    'Its sections get anchors that mappings may cite. The same title is the next version of that document; ' +
    'citations keep the version that they cite.',
  access: can('governance.policy.ingest'),
  transaction: 'write',
  maxBodyBytes: MAX_UPLOAD_BYTES,
  body: PolicyUploadSchema,
  response: UploadedPolicySchema,
  errors: ['conflict'],
  handle: ({ tx, principal, audit, now, body }) => uploadPolicy(tx, { principal, audit, now }, body),
});
