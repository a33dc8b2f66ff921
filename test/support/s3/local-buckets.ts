import { fixtureBytes } from '../../../infra/local/fixture/fixture-content.ts';
import { seedFixture } from '../../../infra/local/fixture/seed-fixture.ts';
import { BLOCK } from './s3-answers.ts';
import { startS3Fake } from './s3-fake.ts';

/** Buckets of a fake of S3 for `npm start -- --s3`. */
export type LocalBuckets = {
  /** The settings with which the service reads them. */
  settings: Record<string, string>;
  stop(): Promise<void>;
};

const ACCOUNT_KEY = 'SVC_LOCAL_S3_KEY';
/** The same each time, since the id of a scope has the port. */
const PORT = 9_071;
/** The fake keeps each call for tests. */
const MAX_CALLS = 10_000;
const READ = (bucket: string, principal: object | string) => ({
  Statement: {
    Effect: 'Allow',
    Principal: principal,
    Action: 's3:GetObject',
    Resource: `arn:aws:s3:::${bucket}/*`,
  },
});

/**
 * Fills buckets with the files of the fixture tenant, one bucket a site. Anyone can read one of them, another account
 * reads one, and a public one is closed by its block. Some files are in an archive.
 */
export async function startLocalBuckets(): Promise<LocalBuckets> {
  const fake = await startS3Fake(PORT).catch(() => startS3Fake());
  const { scopes, items } = seedFixture('s3');
  const names = scopes.map(({ externalId }) => externalId);
  for (const [at, name] of names.entries()) {
    const isPublic = { policy: READ(name, '*'), isPublic: true };
    const settings = [
      isPublic,
      { ...isPublic, block: BLOCK.all },
      { policy: READ(name, { AWS: 'arn:aws:iam::999900001111:root' }) },
    ][at];
    fake.createBucket(name, settings);
  }
  for (const [at, item] of items.entries()) {
    if (!item.readable) continue;
    const key = [item.folder, item.name].filter((part) => part !== '').join('/');
    fake.put(item.scopeExternalId, key, Buffer.from(fixtureBytes(item)), {
      modifiedAt: item.modifiedAt,
      ...(at % 50 === 0 && { storageClass: 'GLACIER' }),
    });
  }
  const timer = setInterval(() => {
    if (fake.requests.length > MAX_CALLS) fake.requests.length = 0;
    if (fake.outputs.length > MAX_CALLS) fake.outputs.length = 0;
  }, 1_000);
  return {
    settings: {
      SVC_S3_ENABLED: 'true',
      SVC_S3_ENDPOINT: fake.url,
      SVC_S3_REGION: 'eu-central-1',
      SVC_S3_PATH_STYLE: 'true',
      SVC_S3_ACCOUNT_ID: fake.accountId,
      SVC_S3_CREDENTIAL_REF: ACCOUNT_KEY,
      [ACCOUNT_KEY]: `${fake.keys.id}:${fake.keys.secret}`,
      SVC_S3_BUCKETS: names.join(','),
    },
    stop: async () => {
      clearInterval(timer);
      await fake.stop();
    },
  };
}
