import type { Detector } from '../detector.ts';
import { imei } from './imei.ts';
import { ipv4Address, ipv6Address } from './ip-address.ts';
import { macAddress } from './mac-address.ts';
import { webAddress } from './web-address.ts';

/** Addresses and numbers of devices and pages. */
export const NETWORK: readonly Detector[] = [ipv4Address, ipv6Address, macAddress, imei, webAddress];
