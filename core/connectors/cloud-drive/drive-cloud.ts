import type { ContentHosts } from '../cloud-http/checked-address.ts';

/** Where the cloud drive answers. Only a test or the local launcher makes another one. */
export type DriveCloud = ContentHosts & {
  /** Scheme, host and port of the API of files. */
  apiOrigin: string;
  /** Those of the API of labels, which gets a bearer of its own. */
  labelsOrigin: string;
  /** Those of the directory of people, which gets bearers of its own. */
  directoryOrigin: string;
  /** Scheme, host and port of the authority that issues tokens. */
  tokenOrigin: string;
};

/** Google's published endpoints. */
export const GOOGLE: DriveCloud = {
  apiOrigin: 'https://www.googleapis.com',
  labelsOrigin: 'https://drivelabels.googleapis.com',
  directoryOrigin: 'https://admin.googleapis.com',
  tokenOrigin: 'https://oauth2.googleapis.com',
  contentDomains: ['googleusercontent.com'],
  contentOrigins: [],
};
