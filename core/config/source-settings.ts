import { z } from 'zod';
import { flag, instances, list, names, secretRef, text, url } from './setting-kinds.ts';

const resourceId = (about: string) =>
  z
    .string()
    .trim()
    .min(1)
    .max(512)
    .regex(
      /^\/subscriptions\/[\w-]{1,64}\/resourceGroups\/[\w.()-]{1,90}\/providers\/Microsoft\.Storage\/storageAccounts\/[a-z0-9]{3,24}$/i,
      'must be the resource id of a storage account',
    )
    .optional()
    .describe(about);

/** What one storage account needs. A named one has it in `SVC_BLOB_INSTANCES`, the one without a name in settings. */
const BlobInstanceSchema = z.strictObject({
  accountUrl: url('Address of the blobs'),
  filesUrl: url('Address of the files'),
  credentialRef: secretRef('Read-only credential'),
  azureIdentity: z.boolean().optional(),
  tenantId: text('Directory (tenant) id'),
  clientId: text('Application (client) id'),
  accountId: resourceId('Resource id of the account'),
  containers: names,
  shares: names,
});

export type BlobInstance = z.output<typeof BlobInstanceSchema>;

export const DEFAULT_S3_REGION = 'us-east-1';
const region = z
  .string()
  .min(1)
  .max(40)
  .regex(/^[a-z0-9-]+$/, 'must be a region, such as eu-central-1');
const awsAccount = z
  .string()
  .min(12)
  .max(12)
  .regex(/^\d+$/, 'must be an AWS account, which has 12 digits')
  .optional();

/** What one account of an S3 store needs, as above. */
const S3InstanceSchema = z.strictObject({
  endpoint: url('Address of the store'),
  region: region.optional(),
  pathStyle: z.boolean().optional(),
  accountId: awsAccount,
  credentialRef: secretRef('Read-only access key'),
  buckets: names,
});

export type S3Instance = z.output<typeof S3InstanceSchema>;

/** What one database server needs, as above. */
const SqlInstanceSchema = z.strictObject({
  connectionRef: secretRef('Connection string of a login that only reads'),
  schemas: names,
});

export type SqlInstance = z.output<typeof SqlInstanceSchema>;

const boxId = (about: string) =>
  z
    .string()
    .trim()
    .min(1)
    .max(20)
    .regex(/^\d+$/, 'must be an id of Box, which has digits alone')
    .optional()
    .describe(about);

/** Settings of the sources beside the main connector. */
export const SOURCE_SETTINGS = {
  SVC_DRIVE_ENABLED: flag('Personal drives of the productivity suite'),
  SVC_DRIVE_IDS: list(
    'Personal drives: the people whose drives to scan, by sign-in name or id, or the ids of drives',
  ),
  SVC_BLOB_ENABLED: flag('Blob and file storage'),
  SVC_BLOB_ACCOUNT_URL: url('Blob and file storage: account address'),
  SVC_BLOB_FILES_URL: url(
    'Blob and file storage: address of the files of the account, if shares are scanned, such as ' +
      '`https://ACCOUNT.file.core.windows.net`',
  ),
  SVC_BLOB_CREDENTIAL_REF: secretRef(
    'Blob and file storage: read-only credential: a shared access signature, an account key or a connection string; ' +
      'beside SVC_BLOB_TENANT_ID the client secret of an app registration',
  ),
  SVC_BLOB_AZURE_IDENTITY: flag(
    'Blob and file storage: the identity of the host signs in, a workload identity or a managed identity, instead of a ' +
      'credential',
  ),
  SVC_BLOB_TENANT_ID: text(
    'Blob and file storage: directory (tenant) id of an app registration that signs in',
  ),
  SVC_BLOB_CLIENT_ID: text(
    'Blob and file storage: application (client) id of that app registration, or of a user-assigned managed identity',
  ),
  SVC_BLOB_ACCOUNT_ID: resourceId(
    'Blob and file storage: resource id of the account, whose settings that identity reads, ' +
      '`/subscriptions/…/storageAccounts/ACCOUNT`; unset, public access by settings alone is unconfirmed',
  ),
  SVC_BLOB_CONTAINERS: list('Blob and file storage: the containers to scan'),
  SVC_BLOB_SHARES: list('Blob and file storage: the shares of files to scan'),
  SVC_BLOB_INSTANCES: instances(
    'Blob and file storage: further accounts by name, as JSON such as `{"hr": {"accountUrl": ' +
      '"https://hr.blob.core.windows.net", "credentialRef": "HR_CREDENTIAL", "containers": ["contracts"]}}`',
    BlobInstanceSchema,
  ),
  SVC_S3_ENABLED: flag('S3 and compatible stores'),
  SVC_S3_ENDPOINT: url("S3 and compatible stores: address of another vendor's store; default: AWS"),
  SVC_S3_REGION: region
    .default(DEFAULT_S3_REGION)
    .describe('S3 and compatible stores: region of the buckets'),
  SVC_S3_PATH_STYLE: flag('S3 and compatible stores: the bucket is in the path and not in the host'),
  SVC_S3_ACCOUNT_ID: awsAccount.describe(
    'S3 and compatible stores: AWS account of the buckets, whose block of public access is read',
  ),
  SVC_S3_CREDENTIAL_REF: secretRef('S3 and compatible stores: read-only access key, as `ID:SECRET`'),
  SVC_S3_BUCKETS: list('S3 and compatible stores: the buckets to scan'),
  SVC_S3_INSTANCES: instances(
    'S3 and compatible stores: further accounts and stores by name, as JSON such as `{"archive": {"region": ' +
      '"eu-central-1", "credentialRef": "ARCHIVE_KEY", "buckets": ["cases"]}}`',
    S3InstanceSchema,
  ),
  SVC_SMB_ENABLED: flag('On-premises shares, mounted read-only'),
  SVC_SMB_ROOT: text('On-premises shares: folder below which they are mounted'),
  SVC_SMB_SHARES: list('On-premises shares: the folders below the root to scan; `.` is the root itself'),
  SVC_SQL_ENABLED: flag('SQL databases'),
  SVC_SQL_CONNECTION_REF: secretRef(
    'SQL databases: connection string of a SELECT-only login, as `postgres://LOGIN:PASSWORD@HOST:PORT/DATABASE`, or with ' +
      '`mysql://`, `mariadb://` or `sqlserver://`',
  ),
  SVC_SQL_SCHEMAS: list(
    'SQL databases: the schemas to scan, of other databases as `DATABASE/SCHEMA`; `*` for all schemas; of MySQL the databases',
  ),
  SVC_SQL_INSTANCES: instances(
    'SQL databases: further servers by name, as JSON such as `{"payroll": {"connectionRef": "PAYROLL_CONNECTION", ' +
      '"schemas": ["public"]}}`',
    SqlInstanceSchema,
  ),
  SVC_CLOUD_DRIVE_ENABLED: flag('Cloud drive'),
  SVC_CLOUD_DRIVE_CREDENTIALS_REF: secretRef(
    'Cloud drive: key file of a service account with domain-wide delegation, as JSON',
  ),
  SVC_CLOUD_DRIVE_ADMIN: text(
    'Cloud drive: address of the administrator in whose name shared drives and their members are listed',
  ),
  SVC_CLOUD_DRIVE_DOMAINS: list(
    'Cloud drive: further domains of the organisation, beside that of the administrator; other addresses are external',
  ),
  SVC_CLOUD_DRIVE_IDS: list(
    'Cloud drive: the drives to scan: ids of shared drives, and addresses of people whose drives to scan',
  ),
  SVC_CLOUD_DRIVE_LABEL: z
    .string()
    .trim()
    .min(1)
    .max(201)
    .regex(/^[\w-]{1,100}(?:\/[\w-]{1,100})?$/, 'must be the id of a label, or LABEL/FIELD')
    .optional()
    .describe(
      'Cloud drive: the label that says how sensitive a file is, by its id, or `LABEL/FIELD` if it has several fields of choices; ' +
        'without it labels are unknown',
    ),
  SVC_FILE_BOX_ENABLED: flag('File box'),
  SVC_FILE_BOX_CLIENT_ID: text('File box: application (client) id'),
  SVC_FILE_BOX_CLIENT_SECRET_REF: secretRef('File box: client secret'),
  SVC_FILE_BOX_ENTERPRISE_ID: boxId(
    'File box: id of the enterprise, whose service account of the application reads',
  ),
  SVC_FILE_BOX_USER_ID: boxId(
    'File box: id of the person as whom folders and files are read, instead of the service account',
  ),
  SVC_FILE_BOX_FOLDERS: list('File box: ids of the folders to scan; `0` is all that the account has'),
  SVC_FILE_BOX_EVENTS: flag(
    'File box: deltas follow the events of the enterprise, which needs a permission that also writes; without it a delta ' +
      'compares a whole walk',
  ),
  SVC_CHAT_ENABLED: flag('Chat channels'),
  SVC_CHAT_TEAMS: list(
    'Chat channels: what to read, and nothing else: ids of teams, for all channels that they host, or single channels as ' +
      '`TEAM/CHANNEL`',
  ),
  SVC_MAIL_ENABLED: flag('Mail'),
  SVC_MAIL_MAILBOXES: list('Mail: the mailboxes to read, and no others'),
};

/** The variables of secrets, by the setting that names them: `SETTING_REF`, or `SETTING_INSTANCES.name.fieldRef`. */
export function referencesIn(settings: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const references = new Map<string, string>();
  const note = (setting: string, suffix: string, variable: unknown) => {
    if (setting.endsWith(suffix) && typeof variable === 'string') references.set(setting, variable);
  };
  for (const [setting, value] of Object.entries(settings)) {
    note(setting, '_REF', value);
    if (!setting.endsWith('_INSTANCES') || !(value instanceof Map)) continue;
    for (const [name, fields] of value)
      for (const [field, variable] of Object.entries(fields))
        note(`${setting}.${name}.${field}`, 'Ref', variable);
  }
  return references;
}
