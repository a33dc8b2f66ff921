import { startAzurite } from '../../infra/local/azurite.ts';
import { startPostgres } from '../../infra/local/postgres.ts';

/** Starts a local server, reports the outcome to the parent, and runs until it is killed or told to stop. */
const [kind, dataDir = ''] = process.argv.slice(2);
const log = () => undefined;
try {
  const server = await (kind === 'azurite'
    ? startAzurite({ dataDir, log })
    : startPostgres({ dataDir, durable: false, log }));
  process.once('message', async () => {
    await server.stop();
    process.disconnect();
  });
  process.send?.({ started: server });
} catch (error) {
  process.send?.({ failed: String(error) }, () => process.exit(1));
}
