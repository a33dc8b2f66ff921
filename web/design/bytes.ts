const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** A size as people write it, such as 184 kB. */
export function bytes(size: number): string {
  const step = size < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(size) / 3));
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: UNITS[step] ?? 'byte',
    unitDisplay: 'short',
    maximumFractionDigits: step === 0 ? 0 : 1,
  }).format(size / 1000 ** step);
}
