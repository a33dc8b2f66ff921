import type { Detector } from '../detector.ts';
import { imei } from './imei.ts';
import { ipv4Address, ipv6Address } from './ip-address.ts';
import { macAddress } from './mac-address.ts';
import { webAddress } from './web-address.ts';

/** Addresses of devices and web pages, and numbers of devices. */
export const NETWORK: readonly Detector[] = [ipv4Address, ipv6Address, macAddress, imei, webAddress];
