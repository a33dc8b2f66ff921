import { expect, test } from 'vitest';
import { beyondConfiguration } from '../../../core/sources/selection.ts';

test.each([
  ['smb', 'SVC_SMB_SHARES'],
  ['blob', 'SVC_BLOB_CONTAINERS or SVC_BLOB_SHARES or SVC_BLOB_INSTANCES'],
  ['s3', 'SVC_S3_BUCKETS or SVC_S3_INSTANCES'],
  ['sql', 'SVC_SQL_SCHEMAS or SVC_SQL_INSTANCES'],
] as const)('a refused selection of %s names each setting that can select', (family, settings) => {
  const { code, message } = beyondConfiguration(family, 2, 'connect the source again');
  expect(code).toBe('blocked_capability');
  expect(message).toContain(`name them in ${settings}, and connect the source again.`);
});
