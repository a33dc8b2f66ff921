import { expect } from 'vitest';
import type { FeedConnector } from '../../core/connectors/connector.ts';
import { connectorOf } from '../support/graph/connect.ts';
import { type FakeLibrary, type GraphFake, startGraphFake } from '../support/graph/graph-fake.ts';
import { guidOf } from '../support/graph/ids.ts';
import { exerciseConnector, type Subject } from './connector.exercise.ts';

const READER = 'reader';
const PERMISSIONS = ['Sites.Read.All', 'Files.Read.All', 'SensitivityLabels.Read.All'] as const;

exerciseConnector('personal drive', async (): Promise<Subject> => {
  const ada = {
    ...{ id: guidOf('ada'), displayName: 'Canary Ada', mail: 'ada@canary.example', jobTitle: null },
    ...{ userPrincipalName: 'ada@canary.example', department: null, managerId: null, guest: false },
  };
  const fake = await startGraphFake({
    tenants: [
      {
        name: 'Canary',
        apps: [{ clientId: READER, permissions: [...PERMISSIONS] }],
        people: [ada],
        sites: [
          { name: 'Ada', path: 'personal/ada', libraries: ['OneDrive'], personal: true, ownerId: ada.id },
        ],
      },
    ],
  });
  const drive = fake.library('Ada', 'OneDrive');
  return subject(
    fake,
    drive,
    connectorOf(fake, READER, { selected: { family: 'drive', drives: [ada.mail] } }),
  );
});

exerciseConnector('graph', async (): Promise<Subject> => {
  const fake = await startGraphFake({
    tenants: [
      {
        name: 'Canary',
        apps: [{ clientId: READER, permissions: [...PERMISSIONS] }],
        sites: [{ name: 'Finance', libraries: ['Documents'] }],
      },
    ],
  });
  return subject(fake, fake.library('Finance'), connectorOf(fake, READER));
});

function subject(fake: GraphFake, library: FakeLibrary, connector: FeedConnector): Subject {
  for (let n = 0; n < 250; n++) library.add(`canary ${n % 7}/canary-${n}.txt`, `file ${n}`);
  return {
    connector,
    scopeExternalId: library.id,
    canaries: ['canary', 'Canary', library.drive.name, library.id],
    act: {
      add: async (name, text) => library.add(name, text),
      edit: async (id, text) => library.edit(id, text),
      rename: async (id, name) => {
        library.rename(id, name);
        return id;
      },
      remove: async (id) => library.remove(id),
    },
    close: async () => {
      expect(fake.violations).toEqual([]);
      await fake.close();
    },
  };
}
