import { Parser } from 'htmlparser2';

export { Parser };
