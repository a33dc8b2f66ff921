const TIME_SPAN = /^(?:(\d{1,4})\.)?(\d{1,2}):([0-5]?\d)(?::([0-5]?\d)(?:\.(\d{1,3})\d{0,4})?)?$/;

/** Parses `[d.]hh:mm[:ss[.fff]]` with hours below 24. @returns milliseconds, or undefined if it is invalid */
export function parseTimeSpan(text: string): number | undefined {
  const match = TIME_SPAN.exec(text.trim());
  if (match === null) return undefined;
  const [, days = '0', hours = '0', minutes = '0', seconds = '0', fraction = ''] = match;
  if (Number(hours) > 23) return undefined;
  const whole = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  return whole * 1000 + Number(fraction.padEnd(3, '0'));
}
