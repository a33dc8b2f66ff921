import {
  getCountries,
  getCountryCallingCode,
  Metadata,
  validatePhoneNumberLength,
} from 'libphonenumber-js/min';

export { getCountries, getCountryCallingCode, Metadata, validatePhoneNumberLength };
