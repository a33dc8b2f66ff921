import { format, getFormatDateInfo, getFormatFromId, isDateFormat } from 'numfmt';

export { format, getFormatDateInfo, getFormatFromId, isDateFormat };
