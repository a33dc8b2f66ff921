import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server, ServerCredentials, type ServerDuplexStream, type ServiceDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { RpcInvocationResponse, RpcTypedData } from '../../infra/local/functions-host/core-types.ts';

type StatusResult = { status?: 'Failure' | 'Success' | 'Cancelled'; exception?: { message?: string } };

/** What the host asks. */
type Asked = {
  workerInitRequest: { hostVersion: string; workerDirectory: string; functionAppDirectory: string };
  functionsMetadataRequest: { functionAppDirectory: string };
  functionLoadRequest: { functionId: string; metadata: FunctionMetadata };
  invocationRequest: {
    invocationId: string;
    functionId: string;
    inputData: { name: string; data: RpcTypedData }[];
    triggerMetadata: Record<string, RpcTypedData>;
    traceContext?: object;
  };
};

type FunctionMetadata = { name: string; functionId: string; rawBindings?: string[] };

/** What the worker answers, by what it was asked. */
type Answered = {
  workerInitRequest: { capabilities?: Record<string, string> };
  functionsMetadataRequest: { functionMetadataResults?: FunctionMetadata[] };
  functionLoadRequest: object;
  invocationRequest: RpcInvocationResponse;
};

type WorkerMessage = {
  requestId?: string;
  /** Which of the other members is set. */
  content: string;
  startStream?: { workerId: string };
  rpcLog?: { level?: string; message?: string };
} & Record<string, unknown>;

type Stream = ServerDuplexStream<WorkerMessage, object>;

/** The host's side of the protocol, for one worker. */
export type Conversation = {
  /** The arguments with which the worker finds the host. */
  readonly workerArguments: readonly string[];
  /** Resolves when the worker has connected. */
  readonly started: Promise<void>;
  /** The worker's log, the last lines. */
  readonly log: readonly string[];
  /** @throws Error with the worker's message if it answers with a failure, or none in time */
  ask<Kind extends keyof Asked>(
    kind: Kind,
    message: Asked[Kind],
    timeoutMs?: number,
  ): Promise<Answered[Kind]>;
  /** The worker answers by ending. */
  terminate(graceSeconds: number): void;
  close(): void;
};

const SERVICE = loadSync(path.join(import.meta.dirname, 'function-rpc.proto'), {
  enums: String,
  oneofs: true,
})['AzureFunctionsRpcMessages.FunctionRpc'] as ServiceDefinition;

const MAX_MESSAGE_BYTES = 2_147_483_647;
const ANSWER_MS = 60_000;
const LOG_LINES = 50;

/** Listens on loopback for one worker. */
export async function startConversation(): Promise<Conversation> {
  const waiting = new Map<string, (answer: StatusResult | undefined, message: WorkerMessage) => void>();
  const { promise: started, resolve: onStarted } = Promise.withResolvers<void>();
  const log: string[] = [];
  let stream: Stream | undefined;

  function read(message: WorkerMessage): void {
    if (message.content === 'rpcLog') {
      log.push(`${message.rpcLog?.level}: ${message.rpcLog?.message}`);
      log.splice(0, log.length - LOG_LINES);
    } else if (message.content === 'startStream') {
      onStarted();
    } else {
      const { result } = message[message.content] as { result?: StatusResult };
      waiting.get(message.requestId ?? '')?.(result, message);
    }
  }

  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  });
  server.addService(SERVICE, {
    eventStream(opened: Stream) {
      stream = opened;
      opened.on('data', read);
      // The worker ends by ending its process.
      opened.on('error', () => undefined);
      opened.on('end', () => opened.end());
    },
  });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );

  return {
    workerArguments: [
      ...['--functions-uri', `http://127.0.0.1:${port}`],
      ...['--functions-worker-id', randomUUID()],
      ...['--functions-request-id', randomUUID()],
      ...['--functions-grpc-max-message-length', `${MAX_MESSAGE_BYTES}`],
    ],
    started,
    log,
    async ask(kind, message, timeoutMs = ANSWER_MS) {
      const requestId = randomUUID();
      const { promise, resolve, reject } = Promise.withResolvers<WorkerMessage>();
      waiting.set(requestId, (result, answer) => {
        if (result?.status === 'Success') resolve(answer);
        else reject(new Error(result?.exception?.message ?? 'The worker answered with a failure.'));
      });
      const timeout = new AbortController();
      const late = sleep(timeoutMs, undefined, { signal: timeout.signal, ref: false }).then(() =>
        reject(new Error(`The worker did not answer a ${kind} within ${timeoutMs} ms.`)),
      );
      late.catch(() => undefined);
      stream?.write({ requestId, [kind]: message });
      try {
        const answer = await promise;
        return answer[answer.content] as Answered[typeof kind];
      } finally {
        timeout.abort();
        waiting.delete(requestId);
      }
    },
    terminate: (seconds) => void stream?.write({ workerTerminate: { gracePeriod: { seconds, nanos: 0 } } }),
    close: () => server.forceShutdown(),
  };
}
