import type { LabelRefusal } from '../label-writer.ts';

/**
 * The codes of a 423, as documented (`driveitem-assignsensitivitylabel`, `driveitem-extractsensitivitylabels`). The first
 * two stay; a file that is being decrypted can be labelled later.
 */
const BY_CODE: Readonly<Record<string, LabelRefusal>> = {
  fileDoubleKeyEncrypted: 'file_encrypted',
  fileDecryptionNotSupported: 'file_encrypted',
  fileDecryptionDeferred: 'file_in_decryption',
  // Seen on files that are checked out, or open for editing (OneDrive/onedrive-api-docs#1199, #912).
  resourceLocked: 'file_locked',
};

/**
 * Nobody recorded an answer for want of a licence to label, and the vendor documents none. Other calls of Graph have such
 * a word in their code (`AadPremiumLicenseRequired`, `…NonPremiumTenant…`).
 */
const LICENSE = /licen[cs]e|NonPremium/i;
/** Nobody recorded it, and every write has a justification. */
const JUSTIFICATION = /justification/i;

/**
 * Why Graph refuses to label a file, by the status and codes of its answer or by the codes of an operation that failed.
 * Null if they do not say.
 */
export function refusalOf(status: number | null, codes: readonly string[]): LabelRefusal | null {
  const known = codes.map((code) => BY_CODE[code]).find((reason) => reason !== undefined);
  if (known !== undefined) return known;
  if (codes.some((code) => LICENSE.test(code))) return 'license_missing';
  if (codes.some((code) => JUSTIFICATION.test(code))) return 'justification_needed';
  // Seen with the code `paymentRequired` where no subscription pays for the application (pnp/powershell#4792).
  if (status === 402 || codes.includes('paymentRequired')) return 'metered_api_off';
  // Seen (pnp/powershell, discussion 5418).
  if (status === 415) return 'file_type_not_supported';
  if (status === 423) return 'file_locked';
  // Documented: some labels that protect need a person with rights to the file. The service checks the type beforehand.
  if (status === 501 || codes.includes('notSupported')) return 'label_needs_person';
  // Seen for a label that exists and is not published or supported (Microsoft Q&A 2080891).
  if (status === 400 && codes.includes('badArgument')) return 'label_not_available';
  return status === 401 || status === 403 ? 'write_identity_refused' : null;
}
