import validator from 'validator';
import { defineDetector, type Verdict } from '../detector.ts';
import { aloneIn, isPlaceholder, looksRandom } from './secret-value.ts';

/** The signature of the public example token on jwt.io. */
const DEBUGGER_SIGNATURE = 'SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c';

export const jsonWebToken = defineDetector({
  id: 'json_web_token',
  version: 2,
  family: 'secret',
  title: 'JSON web token',
  gate: { kind: 'literals', literals: ['eyJ'], reach: 4_200 },
  patterns: [
    {
      regex:
        /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,1000}\.eyJ[A-Za-z0-9_-]{8,1000}\.[A-Za-z0-9_-]{16,1000}(?![A-Za-z0-9_-])/g,
      context: 'optional',
    },
  ],
  context: ['bearer', 'token', 'jwt', 'authorization', 'id token', 'access token'],
  judge: (match) => {
    if (!validator.isJWT(match)) return 'no';
    return match.endsWith(DEBUGGER_SIGNATURE) ? 'sample' : 'shape';
  },
  confidence: { pattern: 0.95, context: 0.98 },
  examples: {
    hits: ['Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLW9mLXRva2Vu'],
    misses: [
      'eyJhbGciOiJIUzI1NiJ9',
      'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0',
      'xeyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLW9mLXRva2Vu',
    ],
  },
});

const PRINTABLE_PAIR = /^[\x20-\x39\x3b-\x7e]{1,200}:[\x20-\x7e]{3,200}$/;

/** RFC 7617: Base64 of a name, a colon and a password. RFC 6750: a bearer token is opaque, so it must look random. */
function judgeCredentials(match: string): Verdict {
  if (isPlaceholder(match)) return 'no';
  if (PRINTABLE_PAIR.test(Buffer.from(match, 'base64').toString('latin1'))) return 'shape';
  return match.length >= 16 && looksRandom(match) ? 'shape' : 'no';
}

export const authorizationHeader = defineDetector({
  id: 'authorization_header',
  version: 3,
  family: 'secret',
  title: 'Credentials of an HTTP request or a registry',
  gate: {
    kind: 'literals',
    literals: ['Basic ', 'basic ', 'Bearer ', 'bearer ', 'BEARER ', '"auth"', '_auth'],
    reach: 540,
  },
  patterns: [
    {
      regex: /(?<= )(?<=\b(?:basic|bearer) )[A-Za-z0-9_.~+/-]{8,500}={0,2}(?![A-Za-z0-9_.~+/=-])/gi,
      context: 'optional',
    },
    // The settings of Docker and npm.
    {
      regex: /(?<=[ "=])(?<="auth" ?: ?"|_auth ?= ?"?)[A-Za-z0-9+/]{8,500}={0,2}(?![A-Za-z0-9+/=])/g,
      context: 'optional',
    },
  ],
  context: ['authorization', 'auth', 'authentication', 'header', 'headers', 'curl', 'proxy authorization'],
  alone: aloneIn,
  judge: judgeCredentials,
  confidence: { pattern: 0.7, context: 0.9 },
  examples: {
    hits: [
      'Authorization: Basic YW5uYTpXaW50ZXIyMDI0IQ==',
      "-H 'Authorization: Bearer q8Zr51mXk02LpVt7Yw9sB3'",
      'proxy-authorization: basic am9objpodW50ZXIyMg==',
      '{"auths":{"registry.example.com":{"auth":"YW5uYTpXaW50ZXIyMDI0IQ=="}}}',
      '//registry.example.com/:_auth=YW5uYTpXaW50ZXIyMDI0IQ==',
    ],
    misses: [
      'Basic authentication',
      'Authorization: Basic realm1234567',
      'Authorization: Bearer <token>',
      'the bearer of passport 12',
      'Bearer $ACCESS_TOKEN_2',
    ],
  },
});
