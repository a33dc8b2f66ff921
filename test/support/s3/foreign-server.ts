import { createRequire } from 'node:module';

/** A store of somebody else, in a process of its own: the tokens of its listings need an old cipher. */
type Server = new (options: object) => { run(): Promise<{ port: number }> };

const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as Server;
const server = new S3rver({
  port: 0,
  address: '127.0.0.1',
  silent: true,
  directory: process.argv[2],
  vhostBuckets: false,
});
const { port } = await server.run();
process.send?.(port);
process.once('disconnect', () => process.exit());
