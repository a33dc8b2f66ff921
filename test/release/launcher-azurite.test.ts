import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { QueueServiceClient } from '@azure/storage-queue';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type LocalStorage, removeAzurite, startAzurite } from '../../infra/local/azurite.ts';
import { LockHeldError } from '../../infra/local/process-lock.ts';
import { runLauncher } from '../support/launcher.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'azurite-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function start(options: { dataDir: string } | { inMemory: true }): Promise<LocalStorage> {
  const storage = await startAzurite({ ...options, log: () => undefined });
  onTestFinished(() => storage.stop());
  return storage;
}
const queueOf = ({ connectionString }: { connectionString: string }) =>
  QueueServiceClient.fromConnectionString(connectionString).getQueueClient('doorbells');
const received = async (storage: LocalStorage) =>
  (await queueOf(storage).receiveMessages({ numberOfMessages: 5 })).receivedMessageItems.map(
    (message) => message.messageText,
  );

describe('the storage emulator', () => {
  test('keeps its account, its ports and its messages', async () => {
    const dataDir = path.join(folder, 'kept');
    const first = await start({ dataDir });
    await queueOf(first).create();
    await queueOf(first).sendMessage('ring');
    await first.stop();
    const second = await start({ dataDir });
    expect(second.connectionString).toBe(first.connectionString);
    expect(await received(second)).toEqual(['ring']);
    expect((await stat(path.join(dataDir, 'account.json'))).mode & 0o777).toBe(0o600);
  });

  test('has a key of its own for each folder, and accepts no other', async () => {
    const [one, two] = [await start({ inMemory: true }), await start({ inMemory: true })];
    const keyOf = ({ connectionString }: LocalStorage) =>
      /AccountKey=([^;]+)/.exec(connectionString)?.[1] ?? '';
    expect(keyOf(one)).not.toBe(keyOf(two));
    await queueOf(one).create();
    const forged = { connectionString: one.connectionString.replace(keyOf(one), keyOf(two)) };
    await expect(queueOf(forged).sendMessage('forged')).rejects.toMatchObject({ statusCode: 403 });
  });

  test('takes another port when the recorded one is in use', async () => {
    const dataDir = path.join(folder, 'ports');
    const first = await start({ dataDir });
    await first.stop();
    const other = createServer().listen(first.queuePort, '127.0.0.1');
    onTestFinished(() => void other.close());
    const second = await start({ dataDir });
    expect(second.queuePort).not.toBe(first.queuePort);
    expect(second.tablePort).toBe(first.tablePort);
    await queueOf(second).create();
  });

  test('takes any ports when a recorded one is taken while it starts', async () => {
    const dataDir = path.join(folder, 'contended');
    const first = await start({ dataDir });
    await first.stop();
    const file = path.join(dataDir, 'account.json');
    const account = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...account, tablePort: account.queuePort }));
    const second = await start({ dataDir });
    expect(second.tablePort).not.toBe(second.queuePort);
    await queueOf(second).create();
  });

  test('refuses a second start on the same folder', async () => {
    const dataDir = path.join(folder, 'twice');
    await start({ dataDir });
    await expect(startAzurite({ dataDir, log: () => undefined })).rejects.toThrow(LockHeldError);
  });

  test('is removed with its data, though not while it is in use', async () => {
    const dataDir = path.join(folder, 'removed');
    const first = await start({ dataDir });
    await expect(removeAzurite(dataDir)).rejects.toThrow(LockHeldError);
    await queueOf(first).create();
    await first.stop();
    await removeAzurite(dataDir);
    await expect(stat(dataDir)).rejects.toMatchObject({ code: 'ENOENT' });
    const earlier = await runLauncher<LocalStorage>('azurite', dataDir);
    await earlier.kill();
    // The one that its parent left may still be writing.
    await removeAzurite(dataDir);
    await expect(stat(dataDir)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('ends with a parent that is killed, and what it had is there at the next start', async () => {
    const dataDir = path.join(folder, 'killed');
    const earlier = await runLauncher<LocalStorage>('azurite', dataDir);
    const queue = queueOf(earlier.started);
    await queue.create();
    await queue.sendMessage('ring');
    await earlier.kill();
    const next = await start({ dataDir });
    expect(await received(next)).toEqual(['ring']);
  });

  test('comes up again after being killed itself', async () => {
    const dataDir = path.join(folder, 'crashed');
    const earlier = await runLauncher<LocalStorage>('azurite', dataDir);
    const queue = queueOf(earlier.started);
    await queue.create();
    await queue.sendMessage('old');
    // Its journal is written every five seconds; what came later may be lost, the rest must not be in the way.
    const journal = path.join(dataDir, 'data', '__azurite_db_queue__.json');
    await expect.poll(() => readFile(journal, 'utf8')).toContain('"messageId":"');
    await queue.sendMessage('new');
    process.kill(earlier.started.pid ?? 0, 'SIGKILL');
    await earlier.kill();
    const next = await start({ dataDir });
    expect(await received(next)).toContain('old');
    await queueOf(next).sendMessage('later');
    expect(await received(next)).toContain('later');
  });
});
