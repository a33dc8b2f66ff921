/**
 * The part of the language worker's `@azure/functions-core` interface that this host and the programming model use.
 * Field names are those of the worker.
 */
export type CoreLogLevel = 'trace' | 'debug' | 'information' | 'warning' | 'error' | 'critical' | 'none';
export type CoreLogCategory = 'user' | 'system' | 'customMetric';

export type RpcTypedData = {
  string?: string | null;
  json?: string | null;
  bytes?: Uint8Array | null;
  http?: RpcHttpData | null;
};

export type RpcHttpData = {
  method?: string;
  url?: string;
  headers?: Record<string, string>;
  query?: Record<string, string>;
  params?: Record<string, string>;
  body?: RpcTypedData | null;
  statusCode?: string | null;
  cookies?: RpcHttpCookie[] | null;
};

/** `expires` is in seconds since the epoch. */
export type RpcHttpCookie = {
  name?: string | null;
  value?: string | null;
  domain?: { value?: string | null } | null;
  path?: { value?: string | null } | null;
  expires?: { value?: { seconds?: number | null } | null } | null;
  secure?: { value?: boolean | null } | null;
  httpOnly?: { value?: boolean | null } | null;
  sameSite?: 'none' | 'lax' | 'strict' | 'explicitNone' | null;
  maxAge?: { value?: number | null } | null;
};

export type RpcBindingInfo = {
  type?: string | null;
  direction?: 'in' | 'out' | 'inout' | null;
  [option: string]: unknown;
};

export type FunctionMetadata = {
  name: string;
  functionId?: string;
  bindings: Record<string, RpcBindingInfo>;
  retryOptions?: object | null;
};

export type FunctionCallback = (...args: unknown[]) => unknown;

export type RpcTraceContext = { traceParent: string; traceState: string; attributes: Record<string, string> };

type RpcInvocationRequest = {
  invocationId: string;
  functionId: string;
  inputData: { name: string; data: RpcTypedData }[];
  triggerMetadata: Record<string, RpcTypedData>;
  traceContext?: RpcTraceContext;
};

export type RpcInvocationResponse = {
  invocationId?: string | null;
  outputData?: { name?: string | null; data?: RpcTypedData | null }[] | null;
  returnValue?: RpcTypedData | null;
};

type InvocationState = 'preInvocationHooks' | 'postInvocationHooks' | 'invocation';

export type CoreInvocationContext = {
  invocationId: string;
  request: RpcInvocationRequest;
  metadata: FunctionMetadata;
  state?: InvocationState | undefined;
  log(level: CoreLogLevel, category: CoreLogCategory, message: string): void;
};

type InvocationModel = {
  getArguments(): Promise<{ context: unknown; inputs: unknown[] }>;
  invokeFunction(context: unknown, inputs: unknown[], callback: FunctionCallback): Promise<unknown>;
  getResponse(context: unknown, result: unknown): Promise<RpcInvocationResponse>;
};

type WorkerCapabilities = Record<string, string>;

export type ProgrammingModel = {
  name: string;
  version: string;
  getInvocationModel(context: CoreInvocationContext): InvocationModel | Promise<InvocationModel>;
  getCapabilities?(defaults: WorkerCapabilities): WorkerCapabilities | Promise<WorkerCapabilities>;
};

export type HookName = 'preInvocation' | 'postInvocation' | 'appStart' | 'appTerminate';
export type HookCallback = (context: object) => unknown;
