/** The part of the peers' types that is used, because the bench type-checks without them. */
export type GraphileWorker = {
  makeWorkerUtils(options: object): Promise<{
    migrate(): Promise<void>;
    addJobs(jobs: readonly { identifier: string; payload: object }[]): Promise<unknown>;
    release(): Promise<void>;
  }>;
  run(options: object): Promise<{ stop(): Promise<void> }>;
  Logger: new (factory: () => () => void) => object;
};

export type PgBoss = {
  PgBoss: new (
    options: object,
  ) => {
    on(event: 'error', listener: (error: unknown) => void): void;
    start(): Promise<unknown>;
    stop(options: object): Promise<void>;
    createQueue(name: string, options: object): Promise<void>;
    insert(name: string, jobs: readonly { data: object }[]): Promise<unknown>;
    fetch(name: string, options: { batchSize: number }): Promise<{ id: string }[]>;
    complete(name: string, ids: readonly string[]): Promise<unknown>;
  };
};
