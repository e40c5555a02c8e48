// Loaded into a server by `--import`: its wall clock is ahead by the milliseconds in the file of FAILURES_CLOCK.

import { readFileSync } from 'node:fs';

const { now } = Date;
Date.now = () => now() + Number(readFileSync(process.env.FAILURES_CLOCK, 'utf8'));
