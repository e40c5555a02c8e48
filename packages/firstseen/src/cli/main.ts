#!/usr/bin/env node
import { commandArguments } from './arguments.js';
import { runCommandLine } from './program.js';

process.exitCode = await runCommandLine(commandArguments());
