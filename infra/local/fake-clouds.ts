import type { LocalCloud } from '../../test/support/local-clouds/local-cloud.ts';

type FakeCloud = {
  name: string;
  /** What is scanned, as the service names it. */
  family: string;
  folder: string;
  /** When deltas start: soon, for what is not notified. */
  deltas: string;
  start(): Promise<LocalCloud>;
};

/** The fakes are with the tests. Nothing that is built or deployed has them. */
export const FAKE_CLOUDS = {
  graph: {
    name: 'Microsoft 365',
    family: 'm365',
    folder: 'test/support/graph',
    deltas: '30 * * * * *',
    start: async () => (await import('../../test/support/graph/local/local-graph.ts')).startLocalGraph(),
  },
  drive: {
    name: 'Google Drive',
    family: 'cloud_drive',
    folder: 'test/support/cloud-drive',
    deltas: '*/30 * * * * *',
    start: async () =>
      (await import('../../test/support/cloud-drive/local/local-drive.ts')).startLocalDrive(),
  },
  box: {
    name: 'Box',
    family: 'file_box',
    folder: 'test/support/file-box',
    deltas: '*/30 * * * * *',
    start: async () => (await import('../../test/support/file-box/local/local-box.ts')).startLocalBox(),
  },
} as const satisfies Record<string, FakeCloud>;
export type FakeCloudName = keyof typeof FAKE_CLOUDS;

/** Starts a fake, with the settings of a service that reads it. */
export async function startFakeCloud(name: FakeCloudName): Promise<LocalCloud> {
  const { deltas, start } = FAKE_CLOUDS[name];
  const cloud = await start();
  const more = {
    SVC_DEMO_MODE: 'true',
    SVC_DELTA_SCHEDULE: process.env.SVC_DELTA_SCHEDULE ?? deltas,
  };
  return { ...cloud, settings: { ...cloud.settings, ...more } };
}
