import { expect, test } from 'vitest';
import { loadConfig } from '../../../core/config/config.ts';
import { untilAborted } from '../../../core/connectors/abort.ts';
import { createGoogleDirectory } from '../../../core/connectors/cloud-drive/google-directory.ts';
import { ConnectorError } from '../../../core/connectors/connector.ts';
import { createGraphClient } from '../../../core/connectors/m365/graph-client.ts';
import { ServiceError } from '../../../core/kernel/errors.ts';
import {
  addressBooksFor,
  askAddressBook,
  askDirectory,
  directoryFor,
} from '../../../core/people/ask-directory.ts';
import { fixtureCompany } from '../../../infra/local/fixture/fixture-company.ts';
import { ADMIN, driveOptions } from '../../support/cloud-drive/connect.ts';
import { READS_DIRECTORY, startDriveFake } from '../../support/cloud-drive/drive-fake.ts';
import { WITHOUT_BOUND } from '../../support/graph/connect.ts';
import { noGraph } from '../../support/graph/no-graph.ts';

const configured = (mode: 'mock' | 'graph', issuer?: string) =>
  loadConfig({
    ...{ SVC_ENV: 'development', SVC_AUTH_MODE: 'dev', SVC_DATABASE_URL: 'postgres://localhost/x' },
    ...{ SVC_CONNECTOR_MODE: mode, SVC_IDP_ISSUER: issuer },
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
  const directory = createGoogleDirectory(driveOptions(fake, []));
  const signedInBy = (issuer: string, mode: 'mock' | 'graph') => ({
    ...{ graph: noGraph, fixture: null, config: configured(mode, issuer) },
    cloudDrive: { reads: () => driveOptions(fake, []), directory: () => directory },
  });
  for (const mode of ['mock', 'graph'] as const) {
    const google = signedInBy('https://accounts.google.com', mode);
    expect(await directoryFor(google)?.person('1001', stopping)).toMatchObject({ displayName: 'Gus Google' });
    expect(addressBooksFor(google)).toEqual([]);
    expect(directoryFor({ ...google, fixture: fixtureCompany })).toBe(
      mode === 'mock' ? fixtureCompany.directory : directory,
    );
  }
  const other = signedInBy('https://id.example', 'graph');
  expect(directoryFor(other)).toBeNull();
  const [book] = addressBooksFor(other);
  expect(await book?.peopleAt(['gus@nordwind.example'], stopping)).toEqual([
    { displayName: 'Gus Google', email: 'gus@nordwind.example', title: '', department: '' },
  ]);
  await fake.stop();
});

test('where Google signs in, the people of Entra ID are an address book at most', async () => {
  const client = createGraphClient({
    ...{ cloud: noGraph.cloud, gate: WITHOUT_BOUND, priority: 'interactive', clock: Date.now },
    ...{ tokens: { token: () => expect.unreachable() }, writesLabels: false, count: () => undefined },
  });
  const google = {
    ...{ fixture: null, graph: { ...noGraph, reads: () => client }, stopping },
    config: configured('graph', 'https://accounts.google.com'),
  };
  expect(directoryFor(google)).toBeNull();
  expect(addressBooksFor(google)).toHaveLength(1);
  await expect(askDirectory(google, HOUR, () => expect.unreachable())).rejects.toMatchObject({
    ...{ code: 'blocked_capability', message: expect.stringContaining('SVC_CLOUD_DRIVE_ADMIN') },
  });
});

test('what a source does not allow to ask is nothing; other failures are said', async () => {
  const refused = (retryClass: 'auth' | 'permanent', diagnostic: string) =>
    askAddressBook({ stopping }, HOUR, 'none', () =>
      Promise.reject(new ConnectorError(retryClass, diagnostic)),
    );
  const allowed = ['cloud_drive_token_not_delegated', 'cloud_drive_people_scope_missing', 'box_users_403'];
  for (const diagnostic of allowed) expect(await refused('auth', diagnostic)).toBe('none');
  for (const diagnostic of ['cloud_drive_person_malformed', 'box_token_refused', 'box_users_401'])
    await expect(refused('permanent', diagnostic)).rejects.toMatchObject({ code: 'blocked_capability' });
});
