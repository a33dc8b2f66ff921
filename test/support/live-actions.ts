import { sweepActions } from '../../core/actions/sweep-actions.ts';
import type { LabelWriter } from '../../core/connectors/label-writer.ts';
import { createGraphLabelWriter } from '../../core/connectors/m365/graph-label-writer.ts';
import { sql } from '../../core/db/sql.ts';
import { createLogger } from '../../core/observability/log.ts';
import { registerScopes } from '../../core/sources/scopes.sql.ts';
import { LABEL_CATALOG } from '../../infra/local/fixture/label-catalog.ts';
import { type ActionWorld, createActionWorld } from './actions.ts';
import type { TestDatabase } from './database.ts';
import { clientOf, connectorOf } from './graph/connect.ts';
import type { FakeLibrary, GraphFake } from './graph/graph-fake.ts';
import { APP, smallFake } from './graph/small-tenant.ts';
import { DEV } from './seed.ts';

/** An action world whose assets are files of a fake of Graph. Both have the time of the world. */
export type LiveActionWorld = {
  world: ActionWorld;
  fake: GraphFake;
  library: FakeLibrary;
  /** What was logged, as it was written. */
  logged: string[];
  /** Replaces parts of the writer until the next `makeAsset`. */
  change(parts: Partial<LabelWriter>): void;
  /** The writer as it is made. */
  writer: LabelWriter;
  /** Creates an asset and its file without a label. Returns the id of the file. */
  makeAsset(assetId: string, name?: string): Promise<string>;
  /** Milliseconds pass, then the timer runs. */
  sweepAfter(ms: number): Promise<void>;
};

/** @param database a seeded one */
export async function createLiveActionWorld(database: TestDatabase): Promise<LiveActionWorld> {
  const world = await createActionWorld(database);
  const labels = LABEL_CATALOG.map(({ guid, name }, priority) => ({
    ...{ id: guid, name, priority, hasProtection: false, sublabels: [] },
  }));
  const fake = await smallFake({}, { clock: () => world.clock.now }, { labels });
  const library = fake.library('Finance');
  const logged: string[] = [];
  const destination = { write: (line: string) => void logged.push(line) };
  world.parts.log = createLogger({ level: 'debug', clock: () => world.clock.now, destination });
  world.parts.connectorOf = () => connectorOf(fake, APP.clientId);
  const writer = createGraphLabelWriter(clientOf(fake, APP.clientId, { writesLabels: true }));
  let changed: Partial<LabelWriter> = {};
  world.parts.writerOf = () => ({ ...writer, ...changed });
  await world.inTenant(async (tx) => {
    const scope = { externalId: library.id, name: 'Finance / Documents', kind: 'drive' };
    await registerScopes(tx, 'm365', 'live', [scope], world.clock.now);
  });
  return {
    world,
    fake,
    library,
    logged,
    writer,
    change: (parts) => {
      changed = parts;
    },
    makeAsset: async (assetId, name = `${assetId}.docx`) => {
      changed = {};
      await world.makeAsset(assetId);
      const id = library.add(name, 'Invoice');
      await database.inspect(sql`
        update assets set external_id = ${id}, scope_id = s.scope_id from scopes s
         where assets.tenant_id = ${DEV} and asset_id = ${assetId} and s.tenant_id = ${DEV}
           and s.external_id = ${library.id}`);
      // Which holds for all scopes of a source.
      await database.inspect(sql`update connector_instances set mode = 'live' where tenant_id = ${DEV}`);
      return id;
    },
    sweepAfter: async (ms) => {
      world.clock.now += ms;
      await sweepActions(world.parts, { signal: new AbortController().signal, budgetMs: 60_000 });
    },
  };
}
