import { emailAddress } from './contact/email-address.ts';
import { geoCoordinates } from './contact/geo-coordinates.ts';
import { phoneNumber } from './contact/phone-number.ts';
import { dePostcode, ukPostcode } from './contact/post-code.ts';
import { streetAddress } from './contact/street-address.ts';
import type { Detector } from './detector.ts';
import { ENGINE_VERSION } from './engine/detect.ts';
import { auBankAccount, bankAccountNumber, ukBankAccount, usRoutingNumber } from './finance/bank-account.ts';
import { bic } from './finance/bic.ts';
import { cardVerification } from './finance/card-verification.ts';
import { bitcoinAddress, ethereumAddress } from './finance/crypto-address.ts';
import { iban } from './finance/iban.ts';
import { paymentCard } from './finance/payment-card.ts';
import { salaryAmount } from './finance/salary.ts';
import { birthDate } from './identity/birth-date.ts';
import { healthPlanNumber, icd10Code, medicalRecordNumber } from './identity/health-record.ts';
import { NATIONAL_IDS } from './identity/national-ids.ts';
import {
  deVehicleRegistration,
  trVehicleRegistration,
  ukVehicleRegistration,
  vehicleRegistration,
} from './identity/vehicle-registration.ts';
import { vin } from './identity/vin.ts';
import { organizationName } from './names/organization-name.ts';
import { personName } from './names/person-name.ts';
import { placeName } from './names/place-name.ts';
import { imei } from './network/imei.ts';
import { ipv4Address, ipv6Address } from './network/ip-address.ts';
import { macAddress } from './network/mac-address.ts';
import { webAddress } from './network/web-address.ts';
import { addressPassword, assignedSecret, connectionPassword } from './secrets/assigned-secret.ts';
import { azureCredential } from './secrets/azure-credential.ts';
import { issuedKey, webhookAddress } from './secrets/issued-key.ts';
import { passwordColumn } from './secrets/password-column.ts';
import { privateKey } from './secrets/private-key.ts';
import { authorizationHeader, jsonWebToken } from './secrets/web-token.ts';

/** Every detector, in the order in which their signals are kept. */
export const DETECTORS: readonly Detector[] = [
  paymentCard,
  cardVerification,
  iban,
  bic,
  usRoutingNumber,
  ukBankAccount,
  auBankAccount,
  bankAccountNumber,
  bitcoinAddress,
  ethereumAddress,
  ...NATIONAL_IDS,
  emailAddress,
  phoneNumber,
  ipv4Address,
  ipv6Address,
  macAddress,
  imei,
  webAddress,
  geoCoordinates,
  vin,
  ukVehicleRegistration,
  deVehicleRegistration,
  trVehicleRegistration,
  vehicleRegistration,
  birthDate,
  privateKey,
  jsonWebToken,
  issuedKey,
  webhookAddress,
  azureCredential,
  assignedSecret,
  connectionPassword,
  passwordColumn,
  addressPassword,
  authorizationHeader,
  icd10Code,
  medicalRecordNumber,
  healthPlanNumber,
  salaryAmount,
  personName,
  streetAddress,
  placeName,
  ukPostcode,
  dePostcode,
  organizationName,
];

/** Part of the stage-cache key: changes when any detector does, or what is made of all they find. */
export const DETECTORS_VERSION = [
  `engine:${ENGINE_VERSION}`,
  ...DETECTORS.map(({ id, version }) => `${id}:${version}`),
].join(',');
