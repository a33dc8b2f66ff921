import { SettingsSchema } from '../../core/config/config.ts';

/** Settings of the Functions host and of Azure's clients. */
const OF_THE_PLATFORM = new Set([
  'FUNCTIONS_WORKER_PROCESS_COUNT',
  'FUNCTIONS_EXTENSION_VERSION',
  'FUNCTIONS_WORKER_RUNTIME',
  'AzureWebJobsDisableHomepage',
  'AzureWebJobsScriptRoot',
  'AzureWebJobsSecretStorageType',
  'HOME',
  'NODE_EXTRA_CA_CERTS',
  'AzureWebJobsStorage__credential',
  'AzureWebJobsStorage__clientId',
  'AZURE_CLIENT_ID',
  'APPLICATIONINSIGHTS_CONNECTION_STRING',
  'APPLICATIONINSIGHTS_AUTHENTICATION_STRING',
  'WEBSITES_ENABLE_APP_SERVICE_STORAGE',
  'WEBSITES_PORT',
  'languageWorkers__node__arguments',
]);
/** Variables that a setting `…_REF` of the manifests names. */
const REFERRED = new Set(['AUDIT_SIGNING_KEY', 'IDP_CLIENT_SECRET']);

/** Whether a variable of a manifest is read by somebody, in itself or as `…_FILE`. */
export function isSetting(name: string): boolean {
  const value = name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : name;
  return value in SettingsSchema.shape || OF_THE_PLATFORM.has(value) || REFERRED.has(value);
}
