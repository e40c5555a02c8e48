#!/usr/bin/env node
import { runCommandLine } from './program.js';
import { openNoDebugger } from './signals.js';

openNoDebugger();
process.exitCode = await runCommandLine(process.argv.slice(2));
