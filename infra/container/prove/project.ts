import { mkdir, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BuiltImage, Work } from './buildah.ts';
import type { Project, Service } from './compose-file.ts';
import { type Container, startContainer } from './container.ts';

const SECONDS = 1_000;
const HEALTHY_WITHIN = 120 * SECONDS;
const COMPLETED_WITHIN = 300 * SECONDS;
const EXEC_WITHIN = 15 * SECONDS;
const POLL = 200;

/** A project under way: the acts of `docker compose` that the README and docs/deployment.md name. */
export type RunningProject = {
  /** `up --wait`: starts what does not run, in the order of the dependencies, until all is healthy. */
  up(): Promise<void>;
  /** `run --rm`: the output of a service with another command. Throws unless it ends with 0. */
  run(service: string, command: readonly string[]): Promise<string>;
  /** The containers of a service, such as `worker-1`, that were started last. */
  containers(service: string): Container[];
  /** All containers so far, in the order of their starts. */
  everStarted(): Container[];
  /** `stop`: all containers, in the reverse order, with the patience of the file. */
  stop(): Promise<void>;
};

/** @param images by the name that the file gives them */
export async function composeProject(
  work: Work,
  project: Project,
  images: ReadonlyMap<string, BuiltImage>,
): Promise<RunningProject> {
  const volumes = path.join(work, 'volumes', `${Date.now()}`);
  const hosts = path.join(work, 'hosts');
  await writeFile(hosts, `127.0.0.1 localhost ${[...project.services.keys()].join(' ')}\n`);
  const containers = new Map<string, Container[]>();
  const everStarted: Container[] = [];
  const forwarders: Server[] = [];

  const serviceOf = (name: string): Service => {
    const service = project.services.get(name);
    if (service === undefined) throw new Error(`The compose file starts no service ${name}.`);
    return service;
  };
  const imageOf = (service: Service): BuiltImage => {
    const image = images.get(service.image);
    if (image === undefined) throw new Error(`There is no image ${service.image}.`);
    return image;
  };
  const start = async (name: string, hostname: string, command?: readonly string[]) => {
    const service = serviceOf(name);
    const { rootfs, config: image } = imageOf(service);
    for (const [source = ''] of service.volumes.map((text) => text.split(':'))) {
      if (!/^[./]/.test(source)) await mkdir(path.join(volumes, source), { recursive: true });
    }
    const placed = { hostname, rootfs, image, project, service, volumes, hosts, command };
    const container = await startContainer(work, hostname, placed);
    everStarted.push(container);
    return container;
  };
  const bringUp = async (name: string) => {
    const before = containers.get(name) ?? [];
    const replicas = Array.from({ length: serviceOf(name).deploy.replicas }, (_, index) =>
      before[index]?.running() === true ? before[index] : start(name, `${name}-${index + 1}`),
    );
    containers.set(name, await Promise.all(replicas));
  };

  return {
    up: async () => {
      const started = new Map<string, Promise<void>>();
      const begin = (name: string): Promise<void> => {
        const begun = started.get(name) ?? afterDependencies(name);
        started.set(name, begun);
        return begun;
      };
      const afterDependencies = async (name: string) => {
        const needs = Object.entries(serviceOf(name).depends_on);
        const there = needs.filter(([need, { required }]) => required || project.services.has(need));
        await Promise.all(
          there.map(async ([need, { condition }]) => {
            await begin(need);
            for (const container of containers.get(need) ?? []) {
              if (condition === 'service_healthy')
                await healthy(container, checkOf(serviceOf(need), imageOf));
              else await completed(container);
            }
          }),
        );
        await bringUp(name);
      };
      await Promise.all([...project.services.keys()].map(begin));
      for (const [name, service] of project.services) {
        const check = checkOf(service, imageOf);
        for (const container of containers.get(name) ?? [])
          if (check !== null) await healthy(container, check);
      }
      if (forwarders.length === 0) {
        for (const { ports } of project.services.values()) {
          for (const port of ports) forwarders.push(await publish(port));
        }
      }
    },
    run: async (name, command) => {
      const container = await start(name, `${name}-run`, command);
      await completed(container);
      return container.output();
    },
    containers: (name) => containers.get(name) ?? [],
    everStarted: () => everStarted,
    stop: async () => {
      for (const [name, { stop_grace_period: patience }] of [...project.services].reverse()) {
        await Promise.all((containers.get(name) ?? []).map((each) => each.stop(patience)));
      }
      for (const forwarder of forwarders.splice(0)) forwarder.close();
    },
  };
}

/** The program that tells whether a container is healthy: that of the file, or else that of its image. */
function checkOf(service: Service, imageOf: (service: Service) => BuiltImage): readonly string[] | null {
  const test = service.healthcheck?.test ?? imageOf(service).config.Healthcheck?.Test ?? ['NONE'];
  if (test[0] === 'NONE') return null;
  if (test[0] !== 'CMD') throw new Error('The proof knows health checks of the form CMD only.');
  return test.slice(1);
}

/** More often than an engine asks, so that nobody waits for its interval. */
async function healthy(container: Container, check: readonly string[] | null): Promise<void> {
  if (check === null) throw new Error(`${container.name} has no health check that somebody could wait for.`);
  const deadline = Date.now() + HEALTHY_WITHIN;
  for (;;) {
    const outcome = await container.exec(check, EXEC_WITHIN).then(
      () => null,
      (error: unknown) => error,
    );
    if (outcome === null) return;
    if (!container.running() || Date.now() > deadline) {
      throw new Error(`${container.name} is not healthy:\n${await lastLines(container)}`, { cause: outcome });
    }
    await sleep(POLL);
  }
}

async function completed(container: Container): Promise<void> {
  const code = await Promise.race([container.ended, sleep(COMPLETED_WITHIN, null, { ref: false })]);
  if (code !== 0) throw new Error(`${container.name} ended with ${code}:\n${await lastLines(container)}`);
}

const lastLines = async (container: Container) =>
  (await container.output()).trim().split('\n').slice(-20).join('\n');

/** Publishes a port, `ADDRESS:PORT:TARGET`, as an engine's proxy does. */
async function publish(port: string): Promise<Server> {
  const [address, from, to] = port.split(':');
  const server = createServer((client) => {
    const target = connect(Number(to), '127.0.0.1');
    client.on('error', () => target.destroy()).on('close', () => target.destroy());
    target.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.pipe(target).pipe(client);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(Number(from), address, resolve);
  });
  return server;
}
