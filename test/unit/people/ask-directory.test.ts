import { expect, test } from 'vitest';
import { loadConfig } from '../../../core/config/config.ts';
import { untilAborted } from '../../../core/connectors/abort.ts';
import { ConnectorError } from '../../../core/connectors/connector.ts';
import { ServiceError } from '../../../core/kernel/errors.ts';
import { addressBooksFor, askDirectory, directoryFor } from '../../../core/people/ask-directory.ts';
import { fixtureCompany } from '../../../infra/local/fixture/fixture-company.ts';
import { ADMIN, driveOptions } from '../../support/cloud-drive/connect.ts';
import { READS_DIRECTORY, startDriveFake } from '../../support/cloud-drive/drive-fake.ts';
import { noGraph } from '../../support/graph/no-graph.ts';

const configured = (mode: 'mock' | 'graph') =>
  loadConfig({
    ...{ SVC_ENV: 'development', SVC_AUTH_MODE: 'dev', SVC_DATABASE_URL: 'postgres://localhost/x' },
    SVC_CONNECTOR_MODE: mode,
  });
const stopping = new AbortController().signal;
const parts = { config: configured('mock'), graph: noGraph, fixture: fixtureCompany, stopping };
const HOUR = 3_600_000;
const never = (signal: AbortSignal) => untilAborted(signal, () => new Promise<never>(() => {}));

test('an answer of the directory is handed on', async () => {
  const person = await askDirectory(parts, HOUR, (directory, signal) =>
    directory.person('pri_noor_haddad', signal),
  );
  expect(person?.displayName).toBe('Noor Haddad');
});

test('without a directory nothing is asked, and the setting is named', async () => {
  const asked = askDirectory({ ...parts, config: configured('graph') }, HOUR, () => expect.unreachable());
  await expect(asked).rejects.toMatchObject({
    ...{ code: 'blocked_capability', message: expect.stringContaining('SVC_GRAPH_TENANT_ID') },
  });
});

test('a failure of the directory is told by its diagnostic', async () => {
  const asked = askDirectory(parts, HOUR, () =>
    Promise.reject(new ConnectorError('transient', 'source_throttled')),
  );
  await expect(asked).rejects.toMatchObject({
    ...{ code: 'blocked_capability', message: expect.stringContaining('(source_throttled)') },
  });
});

test('a directory that is silent ends with its time, or with the process', async () => {
  const blocked = { code: 'blocked_capability', message: expect.stringContaining('(aborted)') };
  await expect(askDirectory(parts, 1, (_, signal) => never(signal))).rejects.toMatchObject(blocked);
  const ending = { ...parts, stopping: AbortSignal.abort() };
  await expect(askDirectory(ending, HOUR, (_, signal) => never(signal))).rejects.toMatchObject(blocked);
});

test('what else is thrown stays what it is', async () => {
  const refusal = new ServiceError('not_found', 'No such group.');
  await expect(askDirectory(parts, HOUR, () => Promise.reject(refusal))).rejects.toBe(refusal);
});

test('ids of Google recognise people where Google signs them in, and nowhere else', async () => {
  const fake = await startDriveFake();
  fake.act.addPerson(ADMIN);
  for (const scope of READS_DIRECTORY) fake.delegated.add(scope);
  fake.directory.accounts.push({
    ...{ id: '1001', email: 'gus@nordwind.example', fullName: 'Gus Google', title: '', department: '' },
  });
  const signedInBy = (issuer: string) => ({
    ...{ graph: noGraph, fixture: null, cloudDrive: { reads: () => driveOptions(fake, []) } },
    config: loadConfig({
      ...{ SVC_ENV: 'development', SVC_AUTH_MODE: 'dev', SVC_DATABASE_URL: 'postgres://localhost/x' },
      ...{ SVC_CONNECTOR_MODE: 'graph', SVC_IDP_ISSUER: issuer },
    }),
  });
  const google = signedInBy('https://accounts.google.com');
  expect(await directoryFor(google)?.person('1001', stopping)).toMatchObject({ displayName: 'Gus Google' });
  expect(addressBooksFor(google)).toEqual([]);
  const other = signedInBy('https://id.example');
  expect(directoryFor(other)).toBeNull();
  const [book] = addressBooksFor(other);
  expect(await book?.peopleAt(['gus@nordwind.example'], stopping)).toEqual([
    { displayName: 'Gus Google', email: 'gus@nordwind.example', title: '', department: '' },
  ]);
  await fake.stop();
});
