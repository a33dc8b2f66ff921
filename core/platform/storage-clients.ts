import type { TableClient } from '@azure/data-tables';
import type { QueueClient } from '@azure/storage-queue';
import type { Config } from '../config/config.ts';

// The packages are imported on first use, because they take a quarter of a second, and no request waits for them.

export const isStorageConfigured = (config: Config): boolean =>
  config.AzureWebJobsStorage !== undefined || config.AzureWebJobsStorage__accountName !== undefined;

/** A client of a queue of the storage account: by its connection string, or by the managed identity. */
export async function queueClient(config: Config, name: string): Promise<QueueClient> {
  const options = { retryOptions: { maxTries: 3, tryTimeoutInMs: 5_000, retryDelayInMs: 200 } };
  const { QueueClient } = await import('@azure/storage-queue');
  if (config.AzureWebJobsStorage !== undefined) {
    return new QueueClient(config.AzureWebJobsStorage, name, options);
  }
  const { DefaultAzureCredential } = await import('@azure/identity');
  const url = `https://${config.AzureWebJobsStorage__accountName}.queue.core.windows.net/${name}`;
  return new QueueClient(url, new DefaultAzureCredential(), options);
}

/** A client of a table of the same account. */
export async function tableClient(config: Config, name: string): Promise<TableClient> {
  // It has no bound of its own: callers give a signal.
  const options = { retryOptions: { maxRetries: 2, retryDelayInMs: 200 } };
  const { TableClient } = await import('@azure/data-tables');
  if (config.AzureWebJobsStorage !== undefined) {
    const allowInsecureConnection = /http:\/\/|UseDevelopmentStorage=true/i.test(config.AzureWebJobsStorage);
    return TableClient.fromConnectionString(config.AzureWebJobsStorage, name, {
      ...options,
      allowInsecureConnection,
    });
  }
  const { DefaultAzureCredential } = await import('@azure/identity');
  const url = `https://${config.AzureWebJobsStorage__accountName}.table.core.windows.net`;
  return new TableClient(url, name, new DefaultAzureCredential(), options);
}
