import type { Detector } from '../detector.ts';
import { addressPassword, assignedSecret, connectionPassword } from './assigned-secret.ts';
import { azureCredential } from './azure-credential.ts';
import { commandPassword } from './command-password.ts';
import { issuedKey, webhookAddress } from './issued-key.ts';
import { passwordColumn } from './password-column.ts';
import { privateKey } from './private-key.ts';
import { authorizationHeader, jsonWebToken } from './web-token.ts';

/** Secrets that grant access: keys, tokens and passwords. */
export const SECRETS: readonly Detector[] = [
  privateKey,
  jsonWebToken,
  issuedKey,
  webhookAddress,
  azureCredential,
  assignedSecret,
  connectionPassword,
  commandPassword,
  passwordColumn,
  addressPassword,
  authorizationHeader,
];
