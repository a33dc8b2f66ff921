import { expect } from 'vitest';
import { connectorOf } from '../support/graph/connect.ts';
import { startGraphFake } from '../support/graph/graph-fake.ts';
import { exerciseConnector, type Subject } from './connector.exercise.ts';

const READER = 'reader';
const PERMISSIONS = ['Sites.Read.All', 'Files.Read.All', 'SensitivityLabels.Read.All'] as const;

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
  const library = fake.library('Finance');
  for (let n = 0; n < 250; n++) library.add(`canary ${n % 7}/canary-${n}.txt`, `file ${n}`);
  return {
    connector: connectorOf(fake, READER),
    scopeExternalId: library.id,
    canaries: ['canary', 'Finance', library.id],
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
});
