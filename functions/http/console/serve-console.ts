import { serveConsole } from '../../../core/http/console.ts';

serveConsole();
