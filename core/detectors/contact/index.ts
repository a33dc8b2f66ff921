import type { Detector } from '../detector.ts';
import { emailAddress } from './email-address.ts';
import { geoCoordinates } from './geo-coordinates.ts';
import { phoneNumber } from './phone-number.ts';
import { dePostcode, ukPostcode } from './post-code.ts';
import { streetAddress } from './street-address.ts';

/** How and where to reach a person. */
export const CONTACT: readonly Detector[] = [
  emailAddress,
  phoneNumber,
  geoCoordinates,
  streetAddress,
  ukPostcode,
  dePostcode,
];
