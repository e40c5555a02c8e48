#!/usr/bin/env node
import { commandArguments } from './arguments.js';
import { runCommandLine } from './program.js';
import { openNoDebugger } from './signals.js';

openNoDebugger();
process.exitCode = await runCommandLine(commandArguments());
