import { expect, test } from 'vitest';
import { accountUrl, bucketUrl, isAws, storeName } from '../../../core/connectors/s3/s3-store.ts';

const aws = { endpoint: null, region: 'eu-central-1', pathStyle: false };
const other = (address: string, pathStyle = true) => ({
  endpoint: new URL(address),
  region: 'us-east-1',
  pathStyle,
});

test.each([
  [aws, 'reports', 'https://reports.s3.eu-central-1.amazonaws.com'],
  [{ ...aws, pathStyle: true }, 'reports', 'https://s3.eu-central-1.amazonaws.com/reports'],
  // Its certificate has no name with a further dot.
  [aws, 'reports.example', 'https://s3.eu-central-1.amazonaws.com/reports.example'],
  [other('https://minio.example:9000'), 'reports', 'https://minio.example:9000/reports'],
  [other('https://gateway.example/s3/'), 'reports', 'https://gateway.example/s3/reports'],
  [other('https://objects.example', false), 'reports', 'https://reports.objects.example'],
])('a bucket has its name in the host or in the path: %#', (store, bucket, address) => {
  expect(bucketUrl(store, store.region, bucket)).toBe(address);
});

test('China is a partition with a domain of its own', () => {
  expect(bucketUrl(aws, 'cn-north-1', 'reports')).toBe('https://reports.s3.cn-north-1.amazonaws.com.cn');
});

test('the settings of an account are read in the region of the source', () => {
  expect(accountUrl('111122223333', aws)).toBe('https://111122223333.s3-control.eu-central-1.amazonaws.com');
});

test('an own endpoint of AWS is AWS, and an address that only begins so is not', () => {
  expect(isAws(aws)).toBe(true);
  expect(isAws(other('https://bucket.vpce-1.s3.us-east-1.vpce.amazonaws.com'))).toBe(true);
  expect(isAws(other('https://amazonaws.com.example'))).toBe(false);
  expect(storeName(aws)).toBe('aws');
  expect(storeName(other('https://minio.example:9000'))).toBe('minio.example:9000');
});
