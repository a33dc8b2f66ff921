import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type ServedFunction,
  toServedFunctions,
} from '../../infra/local/functions-host/function-metadata.ts';
import { parseHostJson } from '../../infra/local/functions-host/host-json.ts';
import { serveFunctions } from '../../infra/local/functions-host.ts';
import { forwardTo } from './forward.ts';
import { type LanguageWorker, type LanguageWorkerOptions, startLanguageWorker } from './language-worker.ts';
import { APP, type Ground } from './world.ts';

/** A worker that a host serves. */
export type WorkerHost = {
  readonly url: string;
  readonly worker: LanguageWorker;
  readonly functions: readonly ServedFunction[];
  /** Takes no new work, then has the worker end, as the Functions host does. */
  close(): ReturnType<LanguageWorker['terminate']>;
};

export type Worker = Pick<LanguageWorkerOptions, 'folder' | 'node'>;

/**
 * Serves the app by a worker. All around it is the local host, so that what differs is the worker's.
 * @param triggers whether the queue and the timers run too
 */
export async function serveByWorker(
  given: Worker,
  { env }: Ground,
  { triggers }: { triggers: boolean },
): Promise<WorkerHost> {
  const worker = await startLanguageWorker({ ...given, app: APP, env });
  const hostJson = parseHostJson(JSON.parse(readFileSync(path.join(APP, 'host.json'), 'utf8')));
  const { routePrefix } = hostJson.extensions.http;
  const functions = toServedFunctions(worker.functions, env, routePrefix);
  const serving = await serveFunctions(
    functions.filter(({ kind }) => triggers || kind === 'http'),
    {
      hostJson,
      invoker: worker.invoker,
      handOver: forwardTo(worker.httpUri),
      options: { root: APP, settings: env },
      onProblem: (what, functionName) => console.error(`${functionName}: could not ${what}.`),
    },
  );
  return {
    url: `http://127.0.0.1:${serving.listener.port}`,
    worker,
    functions,
    async close() {
      const stopped = Promise.all(serving.triggers.map((trigger) => trigger.stop()));
      stopped.catch(() => undefined);
      const ended = await worker.terminate();
      serving.listener.abort();
      await serving.listener.stop();
      return ended;
    },
  };
}
