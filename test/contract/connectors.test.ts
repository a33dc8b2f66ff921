import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectorFactories } from '../../core/connectors/index.ts';
import { applyFixtureAction, type FixtureRequest } from '../../infra/local/fixture/fixture-action.ts';
import { createFixtureConnector } from '../../infra/local/fixture/fixture-connector.ts';
import { seedFixture } from '../../infra/local/fixture/seed-fixture.ts';
import { type BlobAccount, startBlobAccount } from '../support/blob-account.ts';
import { type FilesFake, startFilesFake } from '../support/files/files-fake.ts';
import { memoryFixtureStore } from '../support/memory-fixture-store.ts';
import { type ForeignStore, startForeignStore } from '../support/s3/foreign-store.ts';
import { createPostgresSource, type PostgresSource, quoted } from '../support/sql/postgres-source.ts';
import { exerciseConnector, type Subject } from './connector.exercise.ts';

const fixture = seedFixture('contract');

exerciseConnector('mock', async (): Promise<Subject> => {
  const store = memoryFixtureStore(fixture);
  const scopeExternalId = 'site-finance';
  let count = 0;
  const act = async (externalId: string | null, request: FixtureRequest): Promise<string> => {
    const newExternalId = `added-${++count}`;
    const done = await store.update(scopeExternalId, externalId, (scope, item) =>
      applyFixtureAction(scope, item, request, { at: '2026-01-02T03:04:05.000Z', newExternalId }),
    );
    return done?.item?.externalId ?? expect.unreachable('The action had no effect.');
  };
  return {
    connector: createFixtureConnector({ store }),
    scopeExternalId,
    canaries: ['Invoice', 'Receivables', 'nordwind'],
    act: {
      add: (name, content) => act(null, { action: 'add', name, content }),
      edit: async (id, content) => void (await act(id, { action: 'edit', content })),
      rename: (id, name) => act(id, { action: 'rename', name }),
      remove: async (id) => void (await act(id, { action: 'delete' })),
    },
    close: async () => {},
  };
});

exerciseConnector('smb', async (): Promise<Subject> => {
  const root = await mkdtemp(join(tmpdir(), 'share-canary-'));
  const share = join(root, 'canary share');
  for (let folder = 0; folder < 6; folder++) {
    await mkdir(join(share, `folder ${folder}`), { recursive: true });
    for (let file = 0; file < 40; file++)
      await writeFile(
        join(share, `folder ${folder}`, `canary-${file}.txt`),
        `file ${file} of folder ${folder}`,
      );
  }
  const idOf = (name: string) => Buffer.from(name).toString('base64url');
  const pathOf = (id: string) => join(share, Buffer.from(id, 'base64url').toString());
  return {
    connector: connectorFactories.smb.live({ root, shares: ['canary share'] }),
    scopeExternalId: idOf('canary share'),
    canaries: ['canary', tmpdir()],
    act: {
      add: async (name, text) => {
        await writeFile(join(share, name), text);
        return idOf(name);
      },
      edit: (id, text) => writeFile(pathOf(id), text),
      rename: async (id, name) => {
        await rename(pathOf(id), join(share, name));
        return idOf(name);
      },
      remove: (id) => rm(pathOf(id)),
    },
    close: () => rm(root, { recursive: true }),
  };
});

describe('on a storage account', () => {
  const container = 'canary';
  /** What the tests find: each changes it, and it is restored after the test. */
  const found = new Map(
    Array.from({ length: 240 }, (_, n) => {
      const name = `folder ${Math.floor(n / 40)}/canary-${n % 40}.txt`;
      return [name, `file ${name}`];
    }),
  );
  let account: BlobAccount;
  beforeAll(async () => {
    account = await startBlobAccount();
    await account.createContainer(container);
    for (const [name, text] of found) await account.put(container, name, text);
  });
  afterAll(() => account.stop());

  exerciseConnector('blob', async (): Promise<Subject> => {
    const present = new Map(found);
    const put = async (name: string, text: string) => {
      present.set(name, text);
      await account.put(container, name, text);
      return name;
    };
    const remove = async (name: string) => {
      present.delete(name);
      await account.remove(container, name);
    };
    return {
      connector: connectorFactories.blob.live({
        accountUrl: account.url,
        secret: account.connectionString,
        containers: [container],
      }),
      scopeExternalId: `svclocal/${container}`,
      canaries: ['canary', 'svclocal', '127.0.0.1'],
      act: {
        add: put,
        edit: async (id, text) => void (await put(id, text)),
        rename: async (id, name) => {
          await put(name, present.get(id) ?? '');
          await remove(id);
          return name;
        },
        remove,
      },
      close: async () => {
        for (const name of present.keys()) if (!found.has(name)) await account.remove(container, name);
        for (const [name, text] of found)
          if (present.get(name) !== text) await account.put(container, name, text);
      },
    };
  });
});

describe('on an S3 store of somebody else', () => {
  let store: ForeignStore;
  let made = 0;
  beforeAll(async () => {
    store = await startForeignStore();
  });
  afterAll(() => store.stop());

  exerciseConnector('s3', async (): Promise<Subject> => {
    const bucket = `canary-${++made}`;
    await store.createBucket(bucket);
    const texts = new Map<string, string>();
    const put = async (key: string, text: string) => {
      texts.set(key, text);
      await store.put(bucket, key, text);
      return key;
    };
    for (let folder = 0; folder < 6; folder++) {
      const keys = Array.from({ length: 40 }, (_, file) => `folder ${folder}/canary-${file}.txt`);
      await Promise.all(keys.map((key) => put(key, `file ${key}`)));
    }
    return {
      connector: connectorFactories.s3.live({
        endpoint: store.url,
        region: 'us-east-1',
        pathStyle: true,
        secret: () => store.secret,
        buckets: [bucket],
      }),
      scopeExternalId: `${new URL(store.url).host}/${bucket}`,
      canaries: ['canary', 'S3RVER', '127.0.0.1'],
      act: {
        add: put,
        edit: async (id, text) => void (await put(id, text)),
        rename: async (id, name) => {
          await put(name, texts.get(id) ?? '');
          await store.remove(bucket, id);
          return name;
        },
        remove: (id) => store.remove(bucket, id),
      },
      close: async () => {},
    };
  });
});

describe('on a service of files', () => {
  let files: FilesFake;
  let made = 0;
  beforeAll(async () => {
    files = await startFilesFake();
  });
  afterAll(() => files.stop());

  exerciseConnector('blob: shares', async (): Promise<Subject> => {
    const share = `canary-${++made}`;
    files.createShare(share);
    for (let folder = 0; folder < 6; folder++)
      for (let file = 0; file < 40; file++)
        files.put(share, `folder ${folder}/canary-${file}.txt`, `file ${file} of folder ${folder}`);
    return {
      connector: connectorFactories.blob.live({
        containers: [],
        filesUrl: files.url,
        shares: [share],
        secret: files.signature(),
      }),
      scopeExternalId: `${files.account}/files/${share}`,
      canaries: ['canary', '127.0.0.1'],
      act: {
        add: async (name, text) => {
          files.put(share, name, text);
          return name;
        },
        edit: async (id, text) => files.put(share, id, text),
        rename: async (id, name) => files.rename(share, id, name),
        remove: async (id) => files.remove(share, id),
      },
      close: async () => files.deleteShare(share),
    };
  });
});

describe('on a Postgres', () => {
  let template: PostgresSource;
  beforeAll(async () => {
    template = await createPostgresSource();
    const tables = Array.from({ length: 240 }, (_, n) => [
      `create table "canary ${n}" (words text)`,
      `insert into "canary ${n}" values ('row of table ${n}')`,
    ]);
    await template.run(...tables.flat());
  });
  afterAll(() => template.close());

  exerciseConnector('sql: Postgres', async (): Promise<Subject> => {
    const source = await createPostgresSource({ template: template.database });
    await source.run(
      `grant usage on schema public to ${source.reader}`,
      `grant select on all tables in schema public to ${source.reader}`,
    );
    const nameOf = async (id: string) => {
      const [row] = await source.run<{ name: string }>(`select ${id}::regclass::text as name`);
      return row?.name;
    };
    return {
      connector: connectorFactories.sql.live({ connection: () => source.connection, schemas: ['public'] }),
      scopeExternalId: source.scopeId,
      canaries: ['canary', source.database, '127.0.0.1'],
      act: {
        add: async (name, text) => {
          await source.run(
            `create table ${quoted(name)} (words text)`,
            `insert into ${quoted(name)} values ('${text}')`,
            `grant select on ${quoted(name)} to ${source.reader}`,
          );
          return source.idOf(quoted(name));
        },
        edit: async (id, text) => void (await source.run(`update ${await nameOf(id)} set words = '${text}'`)),
        rename: async (id, name) => {
          await source.run(`alter table ${await nameOf(id)} rename to ${quoted(name)}`);
          return id;
        },
        remove: async (id) => void (await source.run(`drop table ${await nameOf(id)}`)),
      },
      close: () => source.close(),
    };
  });
});

describe('the list of connectors', () => {
  it('files each factory under the family and mode that its connectors report', () => {
    const share = connectorFactories.smb.live({ root: '/', shares: [] });
    expect([share.family, share.mode]).toEqual(['smb', 'live']);
    const blobs = connectorFactories.blob.live({
      accountUrl: 'https://account.blob.example',
      secret: 'sv=2021-12-02&sig=none',
      containers: ['reports'],
    });
    expect([blobs.family, blobs.mode]).toEqual(['blob', 'live']);
    const buckets = connectorFactories.s3.live({
      region: 'eu-central-1',
      pathStyle: false,
      secret: () => null,
      buckets: ['reports'],
    });
    expect([buckets.family, buckets.mode]).toEqual(['s3', 'live']);
    const tables = connectorFactories.sql.live({ connection: () => null, schemas: ['public'] });
    expect([tables.family, tables.mode]).toEqual(['sql', 'live']);
  });
});
