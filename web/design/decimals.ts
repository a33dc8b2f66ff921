const formats = new Map<number, Intl.NumberFormat>();

/** A number with so many decimals, as people write it. A format takes long to make, so each is made once. */
export function decimals(value: number, digits: number): string {
  const format =
    formats.get(digits) ??
    new Intl.NumberFormat(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  formats.set(digits, format);
  return format.format(value);
}
